package readtest

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"svc/shared/content"
	"svc/shared/read"
)

// filteredDeployments deploys schemas in turn under which one field is text, a number, localized text and nothing, while
// releases land and others read: every answer is that of one of the schemas, and the one after a deployment that of its own. The
// releases change entries that no answer here has.
func filteredDeployments(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = []string{"en", "de"}, "en" })
	shapes := []Version{
		oneField(2, `,"x":{"type":"text"}`), oneField(3, `,"x":{"type":"number"}`), oneField(4, `,"x":{"type":"text","localized":true}`), oneField(5, ""),
	}
	want := map[string][]string{ // under each of them
		"filter[x]=5&limit=100":           {"[7 4 1]", "[8 5 2]", "[9 7 4 1]", "refused"},
		"filter[x][gt]=5&order=x":         {"[10]", "[11]", "[10]", "refused"},
		"filter[x][gte]=5&order=-x":       {"[10 1 4 7]", "[11 2 5 8]", "[10 1 4 7 9]", "refused"},
		"filter[x][in]=5,6&order=-x":      {"[10 1 4 7]", "[11 2 5 8]", "[10 1 4 7 9]", "refused"},
		"filter[slug][exists]=true":       {"[]", "[]", "[]", "[]"},
		"locale=de&filter[x]=5&limit=100": {"[7 4 1]", "[8 5 2]", "[7 4 3 1]", "refused"},
	}
	var items []Item
	for n, raw := range []string{`"5"`, `5`, `{"de":"5","en":"4"}`, `"5"`, `5.0`, `{"de":"5"}`, `"5"`, `50e-1`, `{"en":"5","de":"3"}`, `"6"`, `6`, `null`, ""} {
		if n == 5 {
			raw = "" // six has no value
		}
		items = append(items, f.holding(uint64(n+1), raw))
	}
	f.put(shapes[0])
	f.publish(items...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				for query, answers := range want {
					got, err := f.answer(query)
					if err != nil || !oneOf(got, answers) {
						t.Errorf("%s: %s, %v; never right is anything but %v", query, got, err, answers)
						return
					}
				}
			}
		})
	}
	for i := range 24 {
		at := (i*3 + 1 + i/8) % len(shapes)
		f.put(shapes[at])
		for query, answers := range want {
			if got, err := f.answer(query); err != nil || got != answers[at] {
				t.Errorf("%s after deployment %d: %s, %v; want %s", query, i, got, err, answers[at])
			}
		}
		f.publish(f.holding(100+uint64(i%3), "true"))
	}
	cancel()
	readers.Wait()
}

func oneOf(s string, all []string) bool {
	for _, one := range all {
		if s == one {
			return true
		}
	}
	return false
}

// answer is the numbers of the entries that a list shows, or that it is refused. It may be called from any goroutine.
func (f *fixture) answer(query string) (string, error) {
	engine := &read.Engine{Store: f.subject.Store(), Keys: ring{}, Now: time.Now}
	a, err := Serve(context.WithoutCancel(f.Context()), engine, Call{
		Method: http.MethodGet, Target: "/v1/projects/" + string(f.settings.ID) + "/collections/posts/entries?" + query,
	})
	switch {
	case err != nil:
		return "", err
	case a.Status == http.StatusBadRequest:
		return "refused", nil
	case a.Status != http.StatusOK:
		return "", fmt.Errorf("%d %s", a.Status, a.Body)
	}
	numbers := []uint64{}
	for _, m := range entryID.FindAllStringSubmatch(string(a.Body), -1) {
		numbers = append(numbers, number(content.EntryID(m[1])))
	}
	return fmt.Sprint(numbers), nil
}
