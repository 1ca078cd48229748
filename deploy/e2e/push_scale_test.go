package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/client"
	"svc/deploy/local"
	"svc/deploy/local/process"
)

const (
	pushedEntries   = 20_000 // five times as many at a scale of five and more
	pushedLetters   = 8_000  // of each
	pushedMegabytes = 150    // of core: less than the content, so that a push that holds all of it shows
)

// TestAPushOverManyEntriesKeepsCoreSmall: schemas are held against every entry, drafts too, and whatever comes of it core
// never keeps more than 150 MB, however much content there is.
func TestAPushOverManyEntriesKeepsCoreSmall(t *testing.T) {
	b := newPrivateBed(t, local.Config{Edges: 1}, posts)
	entries := pushedEntries * min(scale, 5)
	body := strings.Repeat("Words of a long post. ", pushedLetters/22)
	for first := 0; first < entries; first += hugeItems {
		b.importPosts(b.project.Slug, hugeItems, func(i int) post {
			return post{Title: fmt.Sprintf("Post %06d", first+i), Body: body}
		})
	}
	b.restart("core")

	limited := func(letters int) (client.Plan, time.Duration, error) {
		schema := strings.Replace(posts, `"body":{"type":"markdown"}`, fmt.Sprintf(`"body":{"type":"markdown","maxLength":%d}`, letters), 1)
		began := time.Now()
		plan, err := b.api.PushSchema(t.Context(), b.project.Slug, []jsontext.Value{jsontext.Value(schema)}, false, "")
		return plan, time.Since(began), err
	}
	plan, fitting, err := limited(pushedLetters)
	b.check(err)
	if plan.Versions["posts"] != 2 || plan.ContentErrorCount != 0 {
		t.Errorf("a push that everything fits: %+v", plan)
	}
	_, misfitting, err := limited(10)
	var refused *client.Error
	if !errors.As(err, &refused) || len(refused.Errors) != 100 || !strings.Contains(refused.Detail, fmt.Sprintf("in %d places", entries)) {
		t.Errorf("a push that nothing fits: %v", err)
	}

	pid, err := b.stack.Pid("core")
	b.check(err)
	r, err := process.ResidentOf(pid)
	b.check(err)
	most := r.Peak * (1 << 20) / 1e6
	t.Logf("pushes over %d entries took %s and %s; core kept %.0f MB at most", entries, fitting, misfitting, most)
	if most > pushedMegabytes {
		t.Errorf("core kept %.0f MB while schemas were pushed over %d entries, more than %d", most, entries, pushedMegabytes)
	}
}
