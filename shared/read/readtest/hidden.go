package readtest

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"svc/shared/credential"
	"svc/shared/wiretest"
)

// Asked is a project at a server of reads.
type Asked struct{ Origin, Project string }

// CheckHidden checks that callers without a good key for it cannot tell a project whose public API is off from one that there is not:
// the same questions get the same answers, byte for byte. Both servers start alike.
func CheckHidden(t *testing.T, off, none Asked, headers ...string) {
	t.Helper()
	headers = append(headers, "", "Origin: https://shop.example", "Origin: https://other.example", "Origin: null", "If-None-Match: *",
		"Svc-Min-Release: 99", "Svc-Min-Release: x", "Authorization: Bearer nonsense", "Authorization: Bearer "+credential.Mint(credential.APIKey).Text(),
		"Authorization: Bearer "+credential.Mint(credential.PreviewToken).Text())
	queries := []string{"", "?at=1", "?at=99", "?limit=x", "?nothing=1", "?preview=svc_prv_x"}
	for _, path := range []string{"", "/posts/entries", "/posts/entries/hello", "/front/singleton", "/drafts/entries", "/nothing/entries"} {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST"} {
			compare := func(rest, header string) {
				t.Helper()
				a, b := off.ask(t, method, path+rest, header), none.ask(t, method, path+rest, header)
				if a.status != b.status || !bytes.Equal(a.body, b.body) || !maps.EqualFunc(a.header, b.header, func(x, y []string) bool {
					return strings.Join(x, "\n") == strings.Join(y, "\n")
				}) {
					t.Errorf("%s %s with %q:\n%d %v %s\nwhere there is none:\n%d %v %s", method, path+rest, header, a.status, a.header, a.body, b.status, b.header, b.body)
				}
			}
			for _, query := range queries {
				compare(query, "")
			}
			for _, header := range headers {
				compare("", header)
			}
		}
	}
}

type told struct {
	status int
	header http.Header
	body   []byte
}

var ownID = regexp.MustCompile(`"requestId":"[^"]*"`)

func (a Asked) ask(t *testing.T, method, rest, header string) told {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, a.Origin+"/v1/projects/"+a.Project+"/collections"+rest, nil)
	if err != nil {
		t.Fatal(err)
	}
	if name, value, ok := strings.Cut(header, ": "); ok {
		r.Header.Set(name, value)
	}
	response, err := wiretest.Client.Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range []string{"Date", "Svc-Request-Id"} {
		response.Header.Del(own)
	}
	return told{response.StatusCode, response.Header, ownID.ReplaceAll(body, nil)}
}
