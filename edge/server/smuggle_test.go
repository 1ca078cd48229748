package server

import (
	"slices"
	"strings"
	"testing"
)

const inner = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

// TestOneReadingOfARequest: what others might read as two requests, or as another one, is refused with the connection
// given up, or understood as its standard says. Nothing that is hidden in it reaches core.
func TestOneReadingOfARequest(t *testing.T) {
	const refused = 400
	for _, c := range []struct {
		name, send string
		statuses   []int
		core       []string // what it sees
	}{
		// Framing.
		{"both length and coding", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner, []int{refused}, nil},
		{"both coding and length", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + inner, []int{refused}, nil},
		{"two lengths", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nab" + inner, []int{refused}, nil},
		{"the same length twice", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab", []int{refused}, nil},
		{"lengths in a list", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\nab", []int{refused}, nil},
		{"a length with a sign", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\nab", []int{refused}, nil},
		{"a negative length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: -2\r\n\r\nab", []int{refused}, nil},
		{"a hexadecimal length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 0x2\r\n\r\nab", []int{refused}, nil},
		{"an empty length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n" + inner, []int{refused}, nil},
		{"a huge length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nab", []int{refused}, nil},
		{"a space in a length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 1 2\r\n\r\nab", []int{refused}, nil},
		{"two codings", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []int{refused}, nil},
		{"identity", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n" + inner, []int{refused}, nil},
		{"identity and a length", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nab" + inner, []int{refused}, nil},
		{"gzip, chunked", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", []int{refused}, nil},
		{"chunked, identity", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", []int{refused}, nil},
		{"xchunked", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", []int{refused}, nil},
		{"a vertical tab before chunked", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", []int{refused}, nil},
		{"a coding in HTTP/1.0", "POST /p HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner, []int{refused}, nil},
		{"GET with a length", "GET /p HTTP/1.1\r\nHost: a\r\nContent-Length: " + "35\r\n\r\n" + inner, []int{refused}, nil},
		{"GET with chunks", "GET /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner, []int{refused}, nil},
		{"HEAD with a length", "HEAD /p HTTP/1.1\r\nHost: a\r\nContent-Length: 35\r\n\r\n" + inner, []int{refused}, nil},
		{"GET with no length is fine", "GET /p HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", []int{200}, []string{"GET /p"}},

		// Chunks.
		{"chunks", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\nGET /q HTTP/1.1\r\nHost: a\r\n\r\n",
			[]int{200, 200}, []string{"POST /p abcde", "GET /q"}},
		{"a coding in capitals", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ChunKED\r\n\r\n2\r\nab\r\n0\r\n\r\n", []int{200}, []string{"POST /p ab"}},
		{"chunk extensions are dropped", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b;c=\"d\"\r\nab\r\n0;x\r\n\r\n", []int{200}, []string{"POST /p ab"}},
		{"trailers are dropped", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nab\r\n0\r\nX-T: 1\r\n\r\n", []int{200}, []string{"POST /p ab"}},
		{"a line feed in an extension", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;\nab\r\n0\r\n\r\n", []int{refused}, nil},
		{"a size that ends in a line feed", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\nab\r\n0\r\n\r\n", []int{refused}, nil},
		{"a chunk that ends in a line feed", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\n0\r\n\r\n", []int{refused}, nil},
		{"a chunk that is longer than told", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n", []int{refused}, nil},
		{"a size with a prefix", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n", []int{refused}, nil},
		{"a size with a sign", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n+2\r\nab\r\n0\r\n\r\n", []int{refused}, nil},
		{"a size beyond all numbers", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff2\r\nab\r\n0\r\n\r\n", []int{refused}, nil},
		{"a size of nothing", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\nab\r\n0\r\n\r\n", []int{refused}, nil},
		{"chunks that end early", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", []int{refused}, nil},
		{"a body that ends early", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n" + strings.Repeat("x", 8500), []int{refused}, nil},

		// Lines.
		{"a bare line feed after the first line, as RFC 9112 allows", "GET /p HTTP/1.1\nHost: a\r\n\r\n", []int{200}, []string{"GET /p"}},
		{"a bare line feed", "GET /p HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", []int{refused}, nil},
		{"a bare line feed that hides a length", "POST /p HTTP/1.1\r\nHost: a\r\nX: y\nContent-Length: 35\r\n\r\n" + inner, []int{refused}, nil},
		{"a bare line feed at the end of the head", "GET /p HTTP/1.1\r\nHost: a\r\n\n" + inner, []int{refused}, nil},
		{"a bare carriage return", "GET /p HTTP/1.1\r\nHost: a\r\nX: y\rContent-Length: 35\r\n\r\n", []int{refused}, nil},
		{"a folded line", "GET /p HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n", []int{refused}, nil},
		{"a folded coding", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", []int{refused}, nil},
		{"a folded first line", "GET /p HTTP/1.1\r\n Host: a\r\n\r\n", []int{refused}, nil},
		{"a space before the colon", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length : 35\r\n\r\n" + inner, []int{refused}, nil},
		{"a tab before the colon", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n", []int{refused}, nil},
		{"a space in a name", "GET /p HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n", []int{refused}, nil},
		{"no name", "GET /p HTTP/1.1\r\nHost: a\r\n: z\r\n\r\n", []int{refused}, nil},
		{"no colon", "GET /p HTTP/1.1\r\nHost: a\r\nXYZ\r\n\r\n", []int{refused}, nil},
		{"a zero byte", "GET /p HTTP/1.1\r\nHost: a\r\nX: y\x00z\r\n\r\n", []int{refused}, nil},
		{"empty lines before a request", "\r\n\r\nGET /p HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{"GET /p"}},

		// Targets.
		{"an absolute target", "GET http://b/p?q HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{"GET /p?q"}},
		{"an absolute target without a path", "GET http://b?q HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{"GET /?q"}},
		{"a path that looks like a host", "GET //b/p HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{"GET http://core//b/p"}},
		{"a path that looks like a target", "GET //x://b/p HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{"GET http://core//x://b/p"}},
		{"a target without a slash", "GET p HTTP/1.1\r\nHost: a\r\n\r\n", []int{refused}, nil},
		{"a fragment", "GET /p#f HTTP/1.1\r\nHost: a\r\n\r\n", []int{refused}, nil},
		{"a bad escape", "GET /p%zz HTTP/1.1\r\nHost: a\r\n\r\n", []int{refused}, nil},
		{"a space in a target", "GET /p q HTTP/1.1\r\nHost: a\r\n\r\n", []int{refused}, nil},
		{"what edges alone may ask core", "GET /internal/v1/logs HTTP/1.1\r\nHost: a\r\n\r\n", []int{404}, nil},
		{"the same, written otherwise", "GET /x/..//%69nternal/v1/logs HTTP/1.1\r\nHost: a\r\n\r\n", []int{404}, nil},
		{"an asterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", []int{204}, nil},
		{"an asterisk to get", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", []int{refused}, nil},

		// Hosts, methods, versions.
		{"no host", "GET /p HTTP/1.1\r\n\r\n", []int{refused}, nil},
		{"an empty host", "GET /p HTTP/1.1\r\nHost: \r\n\r\n", []int{refused}, nil},
		{"two hosts", "GET /p HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", []int{refused}, nil},
		{"no host in HTTP/1.0", "GET /p HTTP/1.0\r\n\r\n", []int{200}, []string{"GET /p"}},
		{"CONNECT", "CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n" + inner, []int{405}, nil},
		{"TRACE, of which core says what the path takes", "TRACE /p HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, []string{"TRACE /p"}},
		{"a method nobody knows", "BREW /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab" + strings.Replace(inner, "smuggled", "q", 1), []int{200, 200}, []string{"BREW /p ab", "GET /q"}},
		{"a method in small letters, which is another than GET", "get /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", []int{200}, []string{"get /p ab"}},
		{"a method that is no word", "GE(T /p HTTP/1.1\r\nHost: a\r\n\r\n" + inner, []int{refused}, nil},
		{"HTTP/2.0 in words", "GET /p HTTP/2.0\r\nHost: a\r\n\r\n", []int{refused}, nil},
		{"HTTP/0.9", "GET /p\r\n\r\n", []int{refused}, nil},
		{"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{refused}, nil},
		{"no HTTP", "hello\r\n\r\n", []int{refused}, nil},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []int{refused}, nil},
		{"a huge header", "GET /p HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", []int{431}, nil},
		{"a huge target", "GET /" + strings.Repeat("x", 64<<10) + " HTTP/1.1\r\nHost: a\r\n\r\n", []int{431}, nil},
		{"many headers", "GET /p HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X: y\r\n", 10_000) + "\r\n", []int{431}, nil},

		// Pipelines.
		{"a pipeline", "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
			[]int{200, 200, 200, 200}, []string{"GET /1", "POST /2 abc", "GET /3"}},
		{"a pipeline after what is refused", "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2#f HTTP/1.1\r\nHost: a\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
			[]int{200, 400}, []string{"GET /1"}},
		{"a pipeline after what is no request", "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nhello\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
			[]int{200, 400}, []string{"GET /1"}},
		{"a pipeline that says close", "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
			[]int{200}, []string{"GET /1"}},
		{"a pipeline of HTTP/1.0", "GET /1 HTTP/1.0\r\n\r\nGET /2 HTTP/1.0\r\n\r\n", []int{200}, []string{"GET /1"}},
		{"HTTP/1.0 that stays", "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n", []int{200, 200}, []string{"GET /1", "GET /2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			core := &recorder{}
			s := start(t, plenty, core)
			got := s.talk(t, c.send)
			var statuses []int
			for _, answer := range got {
				statuses = append(statuses, answer.StatusCode)
				if answer.StatusCode >= 400 && !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/problem+json") ||
					len(answer.Header.Get("Svc-Request-Id")) != 32 {
					t.Errorf("an answer with %v", answer.Header)
				}
			}
			if !slices.Equal(statuses, c.statuses) {
				t.Fatalf("answered %v, want %v", statuses, c.statuses)
			}
			if last := got[len(got)-1]; last.StatusCode == refused && !last.Close {
				t.Error("a connection that nobody understands stays open")
			}
			seen := core.saw()
			for i := range seen {
				method, rest, _ := strings.Cut(seen[i], " ")
				if at, ok := strings.CutPrefix(rest, "http://127.0.0.1:"); ok {
					_, path, _ := strings.Cut(at, "/")
					seen[i] = method + " http://core/" + path
				}
			}
			if !slices.Equal(seen, c.core) {
				t.Errorf("core saw %q, want %q", seen, c.core)
			}
		})
	}
}
