package e2e

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc/bench/node"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/credential"
)

var jsonBody = node.Header{Name: "Content-Type", Value: "application/json"}

// TestHostileRequestsGetTheDocumentedAnswer: on core and through both edges.
func TestHostileRequestsGetTheDocumentedAnswer(t *testing.T) {
	b := newBed(t, posts, memos)
	set := b.set("Posts")
	for n := range 5 {
		b.create(set, "posts", postNumber(n))
	}
	id := b.create(set, "memos", map[string]string{"title": "Not for everyone"})
	b.publish(set)
	b.await(1, "posts", b.nodes()...)
	t.Run("a large body", func(t *testing.T) { b.on(t).largeBodies(id) })
	t.Run("bad JSON", func(t *testing.T) { b.on(t).badBodies() })
	t.Run("foreign cursors", func(t *testing.T) { b.on(t).foreignCursors() })
	t.Run("foreign keys", func(t *testing.T) { b.on(t).foreignKeys(id) })
	t.Run("bad keys", func(t *testing.T) { b.on(t).badKeys() })
	t.Run("what does not exist", func(t *testing.T) { b.on(t).missing() })
	t.Run("bad parameters", func(t *testing.T) { b.on(t).badParameters() })
	t.Run("bad filters and orders", func(t *testing.T) { b.on(t).badFilters() })
	t.Run("odd filters", func(t *testing.T) { b.on(t).oddFilters() })
	b.agree([]string{"posts"}, b.edges()...)
}

// on is the bed for a part of a test.
func (b *bed) on(t *testing.T) *bed {
	part := *b
	part.t = t
	return &part
}

// beside is the bed on another project of the deployment, with these collections.
func (b *bed) beside(collections ...string) *bed {
	other := *b
	other.project = other.newProject(collections...)
	return &other
}

// rejects sends a request to every node and returns their problems, which must have a status and a code.
func (b *bed) rejects(key, method, path string, body []byte, status int, code string, headers ...node.Header) {
	b.t.Helper()
	for _, n := range with(key, b.nodes()...) {
		answer, err := n.Send(b.t.Context(), method, path, bytes.NewReader(body), append(headers, jsonBody)...)
		if err != nil {
			b.t.Errorf("%s: %v", n.Name, err)
			continue
		}
		problem, err := answer.Problem()
		if err != nil {
			b.t.Errorf("%s: %v", n.Name, err)
		} else if answer.Status != status || problem.Code != code {
			b.t.Errorf("%s %s; not %d %s", method, answer, status, code)
		}
	}
}

func (b *bed) largeBodies(id string) {
	large := []byte(`{"data":{"title":"` + strings.Repeat("x", 20<<20) + `"}}`)
	project := "/v1/projects/" + b.project.Slug
	for method, path := range map[string]string{
		http.MethodPost: project + "/collections/posts/entries", http.MethodPatch: project + "/entries/" + id,
	} {
		b.rejects(b.account.Token, method, path, large, http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	}
	// Any other route takes a mebibyte.
	b.rejects(b.account.Token, http.MethodPost, project+"/change-sets", large[:2<<20], http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
}

func (b *bed) badBodies() {
	path := "/v1/projects/" + b.project.Slug + "/collections/posts/entries"
	for _, body := range []string{
		``, `{`, `[]`, `null`, `"x"`, `{"data":{"title":"a"},"data":{"title":"b"}}`, `{"data":{"title":"a","title":"b"}}`,
		`{"data":{"title":"\ud800"}}`, `{"data":{"title":"\u0000"}}`, "{\"data\":{\"title\":\"\xff\"}}",
		`{"data":{"title":"a"},"unknown":1}`, `{"data":{"title":"a","unknown":1}}`, `{"data":{"title":1}}`, `{"data":{}}`,
		`{"data":{"title":"a","rating":1e1001}}`, `{"data":` + strings.Repeat(`[`, 100) + strings.Repeat(`]`, 100) + `}`,
	} {
		b.rejects(b.account.Token, http.MethodPost, path, []byte(body), http.StatusBadRequest, "VALIDATION_FAILED")
	}
	b.rejects(b.account.Token, http.MethodPut, path, nil, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
	for _, n := range with(b.account.Token, b.nodes()...) {
		answer, err := n.Send(b.t.Context(), http.MethodPost, path, strings.NewReader("title=a"),
			node.Header{Name: "Content-Type", Value: "application/x-www-form-urlencoded"})
		b.check(err)
		if _, err := answer.Problem(); err != nil || answer.Status != http.StatusUnsupportedMediaType {
			b.t.Errorf("a form: %s, %v", answer, err)
		}
	}
}

// foreignCursors: a cursor is good for the list that it comes from and for no other.
func (b *bed) foreignCursors() {
	first, err := b.same(b.nodes(), b.list("posts")+"?limit=2").Page()
	b.check(err)
	pinned, err := b.same(b.nodes(), b.list("posts")+"?limit=2&at=1").Page()
	b.check(err)
	twin := b.beside(posts)
	set := twin.set("Posts")
	for n := range 3 {
		twin.create(set, "posts", postNumber(n))
	}
	twin.publish(set)
	twin.await(1, "posts", b.nodes()...)
	elsewhere, err := b.same(b.nodes(), twin.list("posts")+"?limit=2").Page()
	b.check(err)
	damaged := []byte(first.Next)
	damaged[len(damaged)/2] ^= 1
	for name, query := range map[string]string{
		"of another project":      "?limit=2&cursor=" + elsewhere.Next,
		"of a pin, at the head":   "?limit=2&cursor=" + pinned.Next,
		"of the head, at a pin":   "?limit=2&at=1&cursor=" + first.Next,
		"damaged":                 "?limit=2&cursor=" + url.QueryEscape(string(damaged)),
		"made up":                 "?limit=2&cursor=" + rand.Text(),
		"a very long one":         "?limit=2&cursor=" + strings.Repeat("A", 4_000),
		"empty":                   "?limit=2&cursor=",
		"that of another release": "?limit=2&at=9999&cursor=" + pinned.Next,
	} {
		b.t.Run(name, func(t *testing.T) {
			b.on(t).refused(b.nodes(), b.list("posts")+query, http.StatusBadRequest, "VALIDATION_FAILED")
		})
	}
	// The size of pages may change.
	b.same(b.nodes(), b.list("posts")+"?limit=3&cursor="+first.Next)
}

// foreignKeys: what belongs to another project is not there.
func (b *bed) foreignKeys(id string) {
	other := b.newProject(posts, memos)
	key, err := b.api.MintProjectKey(b.t.Context(), other.Slug, wire.NewKey{Label: "other", Scopes: []credential.Scope{credential.ContentRead, credential.ContentWrite}})
	b.check(err)
	b.refused(with(key.Secret, b.nodes()...), b.list("memos"), http.StatusNotFound, "NOT_FOUND")
	b.refused(with(key.Secret, b.nodes()...), b.list("posts"), http.StatusNotFound, "NOT_FOUND")
	b.rejects(key.Secret, http.MethodPatch, "/v1/projects/"+b.project.Slug+"/entries/"+id, []byte(`{"data":{"title":"mine"}}`), http.StatusNotFound, "NOT_FOUND")
	b.rejects(key.Secret, http.MethodPatch, "/v1/projects/"+other.Slug+"/entries/"+id, []byte(`{"data":{"title":"mine"}}`), http.StatusNotFound, "NOT_FOUND")
	b.rejects(key.Secret, http.MethodGet, "/v1/projects/"+b.project.Slug+"/change-sets", nil, http.StatusNotFound, "NOT_FOUND")
}

// badKeys: a credential that is presented must be good, on public collections too.
func (b *bed) badKeys() {
	revoked := b.mint("content:read")
	b.check(b.api.RevokeProjectKey(b.t.Context(), b.project.Slug, string(revoked.Key.ID)))
	b.refusedSoon(with(revoked.Secret, b.nodes()...), b.list("posts"))
	good := b.mint("content:read").Secret
	for name, secret := range map[string]string{
		"revoked": revoked.Secret, "another secret": good[:len(good)-1] + flipped(good[len(good)-1]),
		"unknown": "svc_sk_0123456789abcdef_" + strings.Repeat("x", 43), "no key at all": "hello", "another kind": "svc_ik_abc_def",
	} {
		b.t.Run(name, func(t *testing.T) {
			part := b.on(t)
			for _, c := range []string{"posts", "memos"} {
				part.refused(with(secret, b.nodes()...), b.list(c), http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
			}
			part.rejects(secret, http.MethodGet, "/v1/projects/"+b.project.Slug+"/change-sets", nil, http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
		})
	}
	b.rejects("", http.MethodGet, "/v1/projects/"+b.project.Slug+"/change-sets", nil, http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
	b.rejects(good, http.MethodPost, "/v1/projects/"+b.project.Slug+"/change-sets", []byte(`{"title":"x"}`), http.StatusForbidden, "FORBIDDEN")
}

func flipped(c byte) string {
	if c == 'A' {
		return "B"
	}
	return "A"
}

func (b *bed) missing() {
	unknown := string(content.NewID[content.EntryID]())
	for _, path := range []string{
		"/v1/projects/no-such-project/collections/posts/entries",
		"/v1/projects/" + string(content.NewID[content.ProjectID]()) + "/collections/posts/entries",
		"/v1/projects/..%2f..%2fetc/collections/posts/entries",
		b.list("nothing"), b.single("posts", "nothing"), b.single("posts", unknown), b.single("posts", "Not%20A%20Slug"),
		"/v1/projects/" + b.project.Slug + "/collections/posts/singleton",
	} {
		b.refused(b.nodes(), path, http.StatusNotFound, "NOT_FOUND")
	}
	for _, path := range []string{"/", "/v1", "/v1/nothing", "/v2/projects", "/v1/projects/" + b.project.Slug + "/nothing"} {
		b.rejects(b.account.Token, http.MethodGet, path, nil, http.StatusNotFound, "NOT_FOUND")
	}
}

func (b *bed) badParameters() {
	for _, query := range []string{
		"limit=x", "limit=1&limit=2", "at=0", "at=-1", "at=99", "at=yesterday", "unknown=1", "min-release=1", "locale=xx", "%zz=1",
	} {
		b.refused(b.nodes(), b.list("posts")+"?"+query, http.StatusBadRequest, "VALIDATION_FAILED")
	}
	problem := b.refused(b.nodes(), b.list("posts")+"?at=99", http.StatusBadRequest, "VALIDATION_FAILED")
	if !strings.Contains(problem.Detail, "1") {
		b.t.Errorf("an unknown release does not name the newest: %s", problem.Detail)
	}
}
