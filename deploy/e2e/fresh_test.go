package e2e

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/bench/node"
)

func minRelease(n uint64) node.Header {
	return node.Header{Name: "Svc-Min-Release", Value: strconv.FormatUint(n, 10)}
}

// TestAReaderGetsNothingOlderThanItHasSeen: svc-min-release holds from the moment of the publish response on.
func TestAReaderGetsNothingOlderThanItHasSeen(t *testing.T) {
	b := newBed(t, posts)
	set := b.set("Posts")
	id := b.create(set, "posts", postNumber(1))
	b.publish(set)
	b.await(1, "posts", b.nodes()...)
	for n := uint64(2); n < 20; n++ {
		body := strings.Repeat("x", int(n))
		if release := b.write(id, map[string]string{"body": body}); release != n {
			t.Fatalf("release %d instead of %d", release, n)
		}
		answer := b.same(b.nodes(), b.single("posts", id), minRelease(n))
		if answer.Status != http.StatusOK || answer.Release < n || !strings.Contains(string(answer.Body), `"`+body+`"`) {
			t.Fatalf("after release %d: release %d, %s", n, answer.Release, answer.Body)
		}
		// The pin of a release that has only just been published is answered too.
		if answer := b.same(b.nodes(), b.single("posts", id)+"?at="+strconv.FormatUint(n, 10)); answer.Release != n {
			t.Fatalf("at %d answers release %d", n, answer.Release)
		}
	}
	problem := b.refused(b.nodes(), b.list("posts"), http.StatusServiceUnavailable, "UNAVAILABLE", minRelease(1000))
	if !strings.Contains(problem.Detail, "1000") {
		t.Errorf("a release to come: %s", problem.Detail)
	}
	for _, malformed := range []string{"soon", "", "-1", "1.5"} {
		b.refused(b.nodes(), b.list("posts"), http.StatusBadRequest, "VALIDATION_FAILED", node.Header{Name: "Svc-Min-Release", Value: malformed})
	}
}

// TestUnchangedContentIsNotSentAgain: the tag is the same on every node, in every coding, after restarts, and after releases
// that do not touch the answer.
func TestUnchangedContentIsNotSentAgain(t *testing.T) {
	b := newBed(t, posts)
	set := b.set("Posts")
	long := b.create(set, "posts", post{Title: "Long", Body: strings.Repeat("A sentence that is said again. ", 200)})
	other := b.create(set, "posts", postNumber(2))
	b.publish(set)
	b.await(1, "posts", b.nodes()...)
	path := b.single("posts", long)
	plain := b.same(b.nodes(), path)
	tag := plain.Header.Get("Etag")
	for _, coding := range []string{"gzip", "br", "zstd"} {
		coded := b.same(b.nodes(), path, node.Header{Name: "Accept-Encoding", Value: coding})
		if want := strings.TrimSuffix(tag, `"`) + "-" + coding + `"`; coded.Header.Get("Etag") != want || coded.Header.Get("Content-Encoding") != coding {
			t.Errorf("%s: tag %s, coding %q", coding, coded.Header.Get("Etag"), coded.Header.Get("Content-Encoding"))
		}
		if len(coded.Body) >= len(plain.Body)/4 {
			t.Errorf("%s: %d bytes of %d", coding, len(coded.Body), len(plain.Body))
		}
		b.unchanged(path, coded.Header.Get("Etag"))
	}
	for _, condition := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		b.unchanged(path, condition)
	}
	release := b.write(other, map[string]string{"body": "changed"})
	b.await(release, "posts", b.nodes()...)
	b.unchanged(path, tag)
	pin := b.same(b.nodes(), path+"?at=1")
	if got := pin.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" || pin.Header.Get("Etag") != tag {
		t.Errorf("the pin has %s, %q", pin.Header.Get("Etag"), got)
	}
	release = b.write(long, map[string]string{"body": "Short."})
	b.await(release, "posts", b.nodes()...)
	if answer := b.same(b.nodes(), path, node.Header{Name: "If-None-Match", Value: tag}); answer.Status != http.StatusOK || answer.Header.Get("Etag") == tag {
		t.Errorf("after an edit with the tag %s: %s", answer.Header.Get("Etag"), answer)
	}
}

func (b *bed) unchanged(path, condition string) {
	b.t.Helper()
	answer := b.same(b.nodes(), path, node.Header{Name: "If-None-Match", Value: condition})
	if answer.Status != http.StatusNotModified || len(answer.Body) > 0 || answer.Header.Get("Etag") == "" || answer.Release == 0 {
		b.t.Errorf("on the condition %s with the tag %q: %s", condition, answer.Header.Get("Etag"), answer)
	}
}

// TestATimeBeforeEverythingReadsNothing: and one to come reads the head, for now.
func TestATimeBeforeEverythingReadsNothing(t *testing.T) {
	b := newBed(t, posts)
	set := b.set("Posts")
	id := b.create(set, "posts", postNumber(1))
	b.publish(set)
	b.await(1, "posts", b.nodes()...)
	page, err := b.same(b.nodes(), b.list("posts")+"?at=2001-01-01T00:00:00Z").Page()
	if err != nil || len(page.Entries) != 0 {
		t.Errorf("before everything: %+v, %v", page, err)
	}
	b.refused(b.nodes(), b.single("posts", id)+"?at=2001-01-01", http.StatusNotFound, "NOT_FOUND")
	future := b.same(b.nodes(), b.single("posts", id)+"?at="+time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	if future.Status != http.StatusOK || future.Header.Get("Cache-Control") != "public, max-age=0, must-revalidate" {
		t.Errorf("a time to come with %q: %s", future.Header.Get("Cache-Control"), future)
	}
}
