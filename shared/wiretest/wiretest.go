// Package wiretest has what tests send over connections: the requests in which two readers of one connection have been made to
// disagree, with what both servers, core's and the edge's, must make of them; and a client whose connections no test shares.
package wiretest

import (
	"net/http"
	"strings"
)

// Client sends the requests of tests on connections that no other test shares: a test server that stops closes the idle ones
// of http.DefaultTransport, also those that a parallel test is about to use.
var Client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// inner is hidden in requests. No one may take it for one of its own.
const inner = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

// Want is what becomes of bytes that a connection carries: the statuses of the answers, and the requests that come through, as
// method, target and body.
type Want struct {
	Statuses []int
	Seen     []string
}

var (
	// refused is answered with 400 and the connection given up.
	refused = Want{[]int{400}, nil}
	// hidden comes through as one request that has the other as its body.
	hidden = Want{[]int{200}, []string{"POST /p GET /smuggled HTTP/1.1\r\nHost: a"}}
)

// Case is what a caller sends. Edges are the stricter readers, since others read what they pass on.
type Case struct {
	Name, Send string
	Edge       Want
	// core is what core makes of it, where that is something else: a request of its own to a reader that keeps to the standard
	// may follow there, and targets are its router's business.
	core *Want
}

// Core is what core makes of it.
func (c Case) Core() Want {
	if c.core != nil {
		return *c.core
	}
	return c.Edge
}

// Cases returns all of them.
func Cases() []Case {
	return []Case{
		// Framing.
		{"both length and coding", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner, refused, &Want{[]int{200, 200}, []string{"POST /p", "GET /smuggled"}}},
		{"both coding and length", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + inner, refused, &Want{[]int{200, 200}, []string{"POST /p", "GET /smuggled"}}},
		{"two lengths", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nab" + inner, refused, nil},
		{"the same length twice", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab", refused, &Want{[]int{200}, []string{"POST /p ab"}}},
		{"lengths in a list", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\nab", refused, nil},
		{"a length with a sign", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\nab", refused, nil},
		{"a negative length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: -2\r\n\r\nab", refused, nil},
		{"a hexadecimal length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 0x2\r\n\r\nab", refused, nil},
		{"an empty length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n" + inner, refused, nil},
		{"a huge length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nab", refused, nil},
		{"a space in a length", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 1 2\r\n\r\nab", refused, nil},
		{"two codings", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused, nil},
		{"identity", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n" + inner, refused, nil},
		{"identity and a length", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nab" + inner, refused, nil},
		{"gzip, chunked", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", refused, nil},
		{"chunked, identity", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", refused, nil},
		{"xchunked", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", refused, nil},
		{"a vertical tab before chunked", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", refused, nil},
		{"a coding in HTTP/1.0", "POST /p HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner, refused, &Want{[]int{200}, []string{"POST /p"}}},
		{"GET with a length", "GET /p HTTP/1.1\r\nHost: a\r\nContent-Length: " + "35\r\n\r\n" + inner, refused, &Want{[]int{200}, []string{"GET /p GET /smuggled HTTP/1.1\r\nHost: a"}}},
		{"GET with chunks", "GET /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner, refused, &Want{[]int{200, 200}, []string{"GET /p", "GET /smuggled"}}},
		{"HEAD with a length", "HEAD /p HTTP/1.1\r\nHost: a\r\nContent-Length: 35\r\n\r\n" + inner, refused, &Want{[]int{200}, []string{"HEAD /p GET /smuggled HTTP/1.1\r\nHost: a"}}},
		{"GET with no length is fine", "GET /p HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", Want{[]int{200}, []string{"GET /p"}}, nil},

		// Chunks.
		{"chunks", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\nGET /q HTTP/1.1\r\nHost: a\r\n\r\n",
			Want{[]int{200, 200}, []string{"POST /p abcde", "GET /q"}}, nil},
		{"a coding in capitals", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ChunKED\r\n\r\n2\r\nab\r\n0\r\n\r\n", Want{[]int{200}, []string{"POST /p ab"}}, nil},
		{"chunk extensions are dropped", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b;c=\"d\"\r\nab\r\n0;x\r\n\r\n", Want{[]int{200}, []string{"POST /p ab"}}, nil},
		{"trailers are dropped", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nab\r\n0\r\nX-T: 1\r\n\r\n", Want{[]int{200}, []string{"POST /p ab"}}, nil},
		{"a line feed in an extension", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;\nab\r\n0\r\n\r\n", refused, nil},
		{"a size that ends in a line feed", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\nab\r\n0\r\n\r\n", refused, nil},
		{"a chunk that ends in a line feed", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\n0\r\n\r\n", refused, nil},
		{"a chunk that is longer than told", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n", refused, nil},
		{"a size with a prefix", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n", refused, nil},
		{"a size with a sign", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n+2\r\nab\r\n0\r\n\r\n", refused, nil},
		{"a size beyond all numbers", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff2\r\nab\r\n0\r\n\r\n", refused, nil},
		{"a size of nothing", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\nab\r\n0\r\n\r\n", refused, nil},
		{"chunks that end early", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", refused, nil},
		{"a body that ends early", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n" + strings.Repeat("x", 8500), refused, nil},

		// Lines.
		{"a bare line feed after the first line, as RFC 9112 allows", "GET /p HTTP/1.1\nHost: a\r\n\r\n", Want{[]int{200}, []string{"GET /p"}}, nil},
		{"a bare line feed", "GET /p HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", refused, &Want{[]int{200}, []string{"GET /p"}}},
		{"a bare line feed that hides a length", "POST /p HTTP/1.1\r\nHost: a\r\nX: y\nContent-Length: 35\r\n\r\n" + inner, refused, &Want{[]int{200}, []string{"POST /p GET /smuggled HTTP/1.1\r\nHost: a"}}},
		{"a bare line feed at the end of the head", "GET /p HTTP/1.1\r\nHost: a\r\n\n" + inner, refused, &Want{[]int{200, 200}, []string{"GET /p", "GET /smuggled"}}},
		{"a bare carriage return", "GET /p HTTP/1.1\r\nHost: a\r\nX: y\rContent-Length: 35\r\n\r\n", refused, nil},
		{"a folded line", "GET /p HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n", refused, &Want{[]int{200}, []string{"GET /p"}}},
		{"a folded coding", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", refused, &Want{[]int{200}, []string{"POST /p"}}},
		{"a folded first line", "GET /p HTTP/1.1\r\n Host: a\r\n\r\n", refused, nil},
		{"a space before the colon", "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length : 35\r\n\r\n" + inner, refused, nil},
		{"a tab before the colon", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n", refused, nil},
		{"a space in a name", "GET /p HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n", refused, nil},
		{"no name", "GET /p HTTP/1.1\r\nHost: a\r\n: z\r\n\r\n", refused, nil},
		{"no colon", "GET /p HTTP/1.1\r\nHost: a\r\nXYZ\r\n\r\n", refused, nil},
		{"a zero byte", "GET /p HTTP/1.1\r\nHost: a\r\nX: y\x00z\r\n\r\n", refused, nil},
		{"empty lines before a request", "\r\n\r\nGET /p HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{200}, []string{"GET /p"}}, &Want{[]int{400}, nil}},

		// Targets.
		{"an absolute target", "GET http://b/p?q HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{200}, []string{"GET /p?q"}}, &Want{[]int{200}, []string{"GET http://b/p?q"}}},
		{"an absolute target without a path", "GET http://b?q HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{200}, []string{"GET /?q"}}, &Want{[]int{200}, []string{"GET http://b?q"}}},
		{"a path that looks like a host", "GET //b/p HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{200}, []string{"GET http://core//b/p"}}, &Want{[]int{200}, []string{"GET //b/p"}}},
		{"a path that looks like a target", "GET //x://b/p HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{200}, []string{"GET http://core//x://b/p"}}, &Want{[]int{200}, []string{"GET //x://b/p"}}},
		{"a target without a slash", "GET p HTTP/1.1\r\nHost: a\r\n\r\n", refused, nil},
		{"a fragment", "GET /p#f HTTP/1.1\r\nHost: a\r\n\r\n", refused, &Want{[]int{200}, []string{"GET /p#f"}}},
		{"a bad escape", "GET /p%zz HTTP/1.1\r\nHost: a\r\n\r\n", refused, nil},
		{"a space in a target", "GET /p q HTTP/1.1\r\nHost: a\r\n\r\n", refused, nil},
		{"what edges alone may ask core", "GET /internal/v1/logs HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{404}, nil}, &Want{[]int{200}, []string{"GET /internal/v1/logs"}}},
		{"the same, written otherwise", "GET /x/..//%69nternal/v1/logs HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{404}, nil}, &Want{[]int{200}, []string{"GET /x/..//%69nternal/v1/logs"}}},
		{"an asterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{204}, nil}, &Want{[]int{200}, []string{"OPTIONS *"}}},
		{"an asterisk to get", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", refused, &Want{[]int{200}, []string{"GET *"}}},

		// Hosts, methods, versions.
		{"no host", "GET /p HTTP/1.1\r\n\r\n", refused, nil},
		{"an empty host", "GET /p HTTP/1.1\r\nHost: \r\n\r\n", refused, &Want{[]int{200}, []string{"GET /p"}}},
		{"two hosts", "GET /p HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", refused, nil},
		{"no host in HTTP/1.0", "GET /p HTTP/1.0\r\n\r\n", Want{[]int{200}, []string{"GET /p"}}, nil},
		{"CONNECT", "CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n" + inner, Want{[]int{405}, nil}, &Want{[]int{200, 200}, []string{"CONNECT b:443", "GET /smuggled"}}},
		{"TRACE, of which core says what the path takes", "TRACE /p HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{200}, []string{"TRACE /p"}}, nil},
		{"a method no one knows", "BREW /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab" + strings.Replace(inner, "smuggled", "q", 1), Want{[]int{200, 200}, []string{"BREW /p ab", "GET /q"}}, nil},
		{"a method in small letters, which is another than GET", "get /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", Want{[]int{200}, []string{"get /p ab"}}, nil},
		{"a method that is no word", "GE(T /p HTTP/1.1\r\nHost: a\r\n\r\n" + inner, refused, nil},
		{"HTTP/2.0 in words", "GET /p HTTP/2.0\r\nHost: a\r\n\r\n", refused, nil},
		{"HTTP/0.9", "GET /p\r\n\r\n", refused, nil},
		{"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", refused, &Want{[]int{200}, []string{"PRI *"}}},
		{"no HTTP", "hello\r\n\r\n", refused, nil},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", refused, nil},
		{"a huge header", "GET /p HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", Want{[]int{431}, nil}, nil},
		{"a huge target", "GET /" + strings.Repeat("x", 64<<10) + " HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{431}, nil}, nil},
		{"many headers", "GET /p HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X: y\r\n", 10_000) + "\r\n", Want{[]int{431}, nil}, nil},

		// Pipelines.
		{"a pipeline", "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
			Want{[]int{200, 200, 200, 200}, []string{"GET /1", "POST /2 abc", "GET /3"}}, &Want{[]int{200, 200, 200, 200}, []string{"GET /1", "POST /2 abc", "GET /healthz", "GET /3"}}},
		{"a pipeline after what is refused", "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2#f HTTP/1.1\r\nHost: a\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
			Want{[]int{200, 400}, []string{"GET /1"}}, &Want{[]int{200, 200, 200}, []string{"GET /1", "GET /2#f", "GET /3"}}},
		{"a pipeline after what is no request", "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nhello\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
			Want{[]int{200, 400}, []string{"GET /1"}}, nil},
		{"a pipeline that says close", "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
			Want{[]int{200}, []string{"GET /1"}}, nil},
		{"a pipeline of HTTP/1.0", "GET /1 HTTP/1.0\r\n\r\nGET /2 HTTP/1.0\r\n\r\n", Want{[]int{200}, []string{"GET /1"}}, nil},
		{"HTTP/1.0 that stays", "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n", Want{[]int{200, 200}, []string{"GET /1", "GET /2"}}, nil},

		// What hops drop, and what they are asked to do.
		{"a length that a hop drops", "POST /p HTTP/1.1\r\nHost: a\r\nConnection: Content-Length\r\nContent-Length: 35\r\n\r\n" + inner, hidden, nil},
		{"a coding that a hop drops", "POST /p HTTP/1.1\r\nHost: a\r\nConnection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n23\r\n" + inner + "\r\n0\r\n\r\n", hidden, nil},
		{"an upgrade to HTTP/2", "GET /p HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", Want{[]int{200}, []string{"GET /p"}}, nil},
		{"an upgrade to a socket", "GET /p HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n", Want{[]int{200}, []string{"GET /p"}}, nil},
		{"an expectation", "POST /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab", Want{[]int{100, 200}, []string{"POST /p ab"}}, nil},
		{"an expectation no one can meet", "POST /p HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 35\r\n\r\n" + inner, hidden, &Want{[]int{417}, nil}},
		{"TRACE with a body", "TRACE /p HTTP/1.1\r\nHost: a\r\nContent-Length: 35\r\n\r\n" + inner, Want{[]int{200}, []string{"TRACE /p GET /smuggled HTTP/1.1\r\nHost: a"}}, nil},
		{"a request in a target", "GET /GET%20/smuggled%20HTTP/1.1%0d%0aHost:%20a%0d%0a%0d%0a HTTP/1.1\r\nHost: a\r\n\r\n", Want{[]int{200}, []string{"GET /GET%20/smuggled%20HTTP/1.1%0d%0aHost:%20a%0d%0a%0d%0a"}}, nil},
		{"a carriage return in an extension", "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;a=\"\r\"\r\nab\r\n0\r\n\r\n", refused, nil},
		{"a length in HTTP/1.0", "POST /p HTTP/1.0\r\nHost: a\r\nContent-Length: 35\r\n\r\n" + inner, hidden, nil},
		{"a version that is none", "GET /p HTTP/9.9\r\nHost: a\r\n\r\n" + inner, refused, nil},
		{"a minor version that is none", "GET /p HTTP/1.9\r\nHost: a\r\nContent-Length: 35\r\n\r\n" + inner, refused, &Want{[]int{200}, []string{"GET /p GET /smuggled HTTP/1.1\r\nHost: a"}}},
		{"a request after the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + inner, refused, &Want{[]int{200}, []string{"PRI *"}}},
		{"a head that never ends", "GET /p HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 64<<10), Want{[]int{431}, nil}, nil},
		{"a key in a second line", "POST /p HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nAuthorization: Bearer y\r\nContent-Length: 2\r\n\r\nab", Want{[]int{200}, []string{"POST /p ab"}}, nil},
		{"a key in a folded line", "POST /p HTTP/1.1\r\nHost: a\r\nAuthorization:\r\n Bearer y\r\nContent-Length: 2\r\n\r\nab", refused, &Want{[]int{200}, []string{"POST /p ab"}}},
		{"a space after the name of a key", "POST /p HTTP/1.1\r\nHost: a\r\nAuthorization : Bearer y\r\nContent-Length: 2\r\n\r\nab", refused, nil},
	}
}
