package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"svc/bench/node"
	"svc/core/client"
	"svc/shared/value"
)

// shape is which fields posts show, and in what order.
type shape string

const (
	showsNothing shape = ""
	showsAll     shape = "title slug a b"
	showsLess    shape = "b title"
)

// schemaReader asks one node, one question after the other, and holds each answer against what is deployed.
type schemaReader struct {
	*schemaLoad
	node node.Node
	last int64 // the least deployment that explains what it saw last
}

// read asks everything once.
func (r *schemaReader) read(ctx context.Context) error {
	for _, ask := range []func(context.Context) error{r.list, r.still, r.filtered, r.past, r.overview} {
		if err := ask(ctx); err != nil {
			return fmt.Errorf("%s, with a key: %v: %w", r.node.Name, r.node.Token != "", err)
		}
	}
	return node.Pause(ctx, 10*time.Millisecond) // the processors belong to the nodes
}

// explained asks, and finds a deployment that an answer is of: between what was seen before and what had begun by its end.
func (r *schemaReader) explained(ctx context.Context, path string, fits func(node.Answer, int64) error) error {
	from := max(r.floor.Load(), r.last)
	answer, err := r.node.Get(ctx, path)
	if err != nil {
		return err
	}
	r.answers.Add(1)
	var faults []error
	for n := from; n <= r.ceiling.Load(); n++ {
		err := fits(answer, n)
		if err == nil {
			r.last = n
			return nil
		}
		faults = append(faults, fmt.Errorf("it is not of deployment %d: %w", n, err))
	}
	return fmt.Errorf("%s answers %d %s: %w", path, answer.Status, answer.Body, errors.Join(faults...))
}

// status checks the status under a deployment, and reports whether there is an answer to look at.
func (r *schemaReader) status(a node.Answer, n int64) (readable bool, err error) {
	want := r.of(n).status
	if want == http.StatusUnauthorized && r.node.Token != "" {
		want = http.StatusOK
	}
	if a.Status != want {
		return false, fmt.Errorf("the status is not %d", want)
	}
	missing := strings.Contains(string(a.Body), "has no collection")
	if missing != (want == http.StatusNotFound) {
		return false, errors.New("it is refused for another reason")
	}
	return want == http.StatusOK, nil
}

func (r *schemaReader) list(ctx context.Context) error {
	return r.explained(ctx, r.schemaLoad.list("posts")+"?limit=100", func(a node.Answer, n int64) error {
		if readable, err := r.status(a, n); !readable {
			return err
		}
		page, err := a.Page()
		if err != nil {
			return err
		}
		if len(page.Entries) != stillPosts+editedPosts {
			return fmt.Errorf("it has %d posts", len(page.Entries))
		}
		for _, e := range page.Entries {
			if err := r.of(n).shape.fits(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// fits checks a post: its fields are some of the shape's, in order, and it has a slug where they say so alone.
func (s shape) fits(e node.Entry) error {
	members, err := value.Members(e.Fields)
	if err != nil {
		return err
	}
	var keys []string
	for _, m := range members {
		keys = append(keys, m.Name)
	}
	rest := strings.Fields(string(s))
	for _, key := range keys {
		at := slices.Index(rest, key)
		if at < 0 {
			return fmt.Errorf("%s has the fields %v, not %q", e.ID, keys, s)
		}
		rest = rest[at+1:]
	}
	slug := slices.Contains(keys, "slug")
	if slug != (e.Slug != nil) || !slices.Contains(keys, "title") || !slices.Contains(keys, "b") {
		return fmt.Errorf("%s has the fields %v, its slug is shown: %v", e.ID, keys, e.Slug != nil)
	}
	return nil
}

// still reads a post that no one edits by its slug.
func (r *schemaReader) still(ctx context.Context) error {
	return r.explained(ctx, r.single("posts", "post-number-3"), func(a node.Answer, n int64) error {
		if r.of(n).shape == showsLess {
			problem, err := a.Problem()
			if err != nil || a.Status != http.StatusNotFound || problem.CanonicalSlug != "" || !strings.Contains(problem.Detail, "has no entry") {
				return fmt.Errorf("a slug is answered to where there are none: %w", err)
			}
			return nil
		}
		if readable, err := r.status(a, n); !readable {
			return err
		}
		const want = `"slug":"post-number-3","fields":{"title":"Post number 3","slug":"post-number-3","a":1003,"b":0}`
		if !containsText(a.Body, want) {
			return fmt.Errorf("it does not have %s", want)
		}
		return nil
	})
}

// filtered reads three posts that no one edits by a field that goes away and comes back: it is refused, or it finds all of
// them and nothing else, in their order.
func (r *schemaReader) filtered(ctx context.Context) error {
	const query = "?limit=3&filter[a][lte]=1004&filter[title][ne]=Post%20number%201&order=-a"
	return r.explained(ctx, r.schemaLoad.list("posts")+query, func(a node.Answer, n int64) error {
		if r.of(n).shape == showsLess {
			problem, err := a.Problem()
			if err != nil || problem.Code != "VALIDATION_FAILED" || !strings.Contains(problem.Detail, `the collection has no field "a"`) {
				return fmt.Errorf("a field is filtered by where there is none: %w", err)
			}
			return nil
		}
		if readable, err := r.status(a, n); !readable {
			return err
		}
		page, err := a.Page()
		if err != nil {
			return err
		}
		var ids []string
		for _, e := range page.Entries {
			ids = append(ids, e.ID)
		}
		if want := []string{r.ids[4], r.ids[3], r.ids[2]}; !slices.Equal(ids, want) || page.Next == "" {
			return fmt.Errorf("it has %v, not %v and more", ids, want)
		}
		return nil
	})
}

// past reads the list at the first release, which is what it was wherever it may be read.
func (r *schemaReader) past(ctx context.Context) error {
	return r.explained(ctx, r.schemaLoad.list("posts")+"?limit=100&at=1", func(a node.Answer, n int64) error {
		if readable, err := r.status(a, n); !readable {
			return err
		}
		if !bytes.Equal(a.Body, r.pinned) {
			return errors.New("it is not what it was")
		}
		return nil
	})
}

// overview reads the collections, which were deployed together.
func (r *schemaReader) overview(ctx context.Context) error {
	if r.node.Token != "" {
		return nil
	}
	return r.explained(ctx, r.collections(), func(a node.Answer, n int64) error {
		got, err := labelsIn(a)
		if err != nil {
			return err
		}
		want := map[string]string{"pages": fmt.Sprint(n)}
		if r.of(n).status == http.StatusOK {
			want["posts"] = fmt.Sprint(n)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("it shows %v, not %v", got, want)
		}
		return nil
	})
}

// labelsIn are the labels of the public collections, by key.
func labelsIn(a node.Answer) (map[string]string, error) {
	var body struct {
		Data []struct {
			Key   string `json:"key"`
			Label string `json:"label"`
		} `json:"data"`
	}
	if a.Status != http.StatusOK {
		return nil, fmt.Errorf("%s answers %d to %s: %s", a.Node, a.Status, a.Path, a.Body)
	}
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return nil, err
	}
	labels := map[string]string{}
	for _, c := range body.Data {
		labels[c.Key] = c.Label
	}
	return labels, nil
}

func containsText(body []byte, text string) bool { return bytes.Contains(body, []byte(text)) }

// isRefusal reports whether core refused with a code.
func isRefusal(err error, code string) bool {
	var refused *client.Error
	return errors.As(err, &refused) && string(refused.Code) == code
}
