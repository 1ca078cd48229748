package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/client"
	"svc/core/wire"
	"svc/deploy/local/localtest"
)

const (
	pushedLetters = 8_000 // of each entry
	pushedAtOnce  = 1_000 // entries that are imported together
)

// TestAPushMeetsEveryEntry: schemas are held against every entry, drafts too, however many there are.
func TestAPushMeetsEveryEntry(t *testing.T) {
	b := newBed(t, posts)
	entries := localtest.Size(2_000, 20_000)
	body := strings.Repeat("Words of a long post. ", pushedLetters/22)
	for first := 0; first < entries; first += pushedAtOnce {
		b.importPosts(b.project.Slug, pushedAtOnce, func(i int) post {
			return post{Title: fmt.Sprintf("Post %06d", first+i), Body: body}
		})
	}

	limited := func(letters int) (wire.Plan, error) {
		schema := strings.Replace(posts, `"body":{"type":"markdown"}`, fmt.Sprintf(`"body":{"type":"markdown","maxLength":%d}`, letters), 1)
		return b.api.PushSchema(t.Context(), b.project.Slug, []jsontext.Value{jsontext.Value(schema)}, false, "")
	}
	plan, err := limited(pushedLetters)
	b.check(err)
	if plan.Versions["posts"] != 2 || plan.ContentErrorCount != 0 {
		t.Errorf("a push that everything fits: %+v", plan)
	}
	_, err = limited(10)
	var refused *client.Error
	if !errors.As(err, &refused) || len(refused.Errors) != 100 || !strings.Contains(refused.Detail, fmt.Sprintf("in %d places", entries)) {
		t.Errorf("a push that nothing fits: %v", err)
	}
}
