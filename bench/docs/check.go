package docs

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
)

// Check holds what nodes serve of a site against its source.
type Check struct {
	History *History
	Project string
	Nodes   []node.Node

	// Reads counts the answers that were compared, on all nodes together, and Bytes their bodies.
	Reads, Bytes int
}

// At compares everything at a release, or at the head for 0 with the site as it should be then: every page of the
// list, and every entry by its slug and by its id, on every node, where all answers must be the same bytes; and that what
// is gone, or yet to come, is not found.
func (c *Check) At(ctx context.Context, site Site, pin uint64) error {
	query := url.Values{"limit": {"100"}}
	if pin > 0 {
		query.Set("at", strconv.FormatUint(pin, 10))
	}
	seen := map[string]node.Entry{}
	err := c.walk(ctx, query, func(e node.Entry) error {
		if e.Slug == nil {
			return fmt.Errorf("the entry %s has no slug", e.ID)
		}
		seen[*e.Slug] = e
		return nil
	})
	if err != nil {
		return fmt.Errorf("list at %d: %w", pin, err)
	}
	if len(seen) != len(site) {
		return fmt.Errorf("list at %d: %d entries, the source has %d", pin, len(seen), len(site))
	}
	for _, path := range slices.Sorted(maps.Keys(site)) {
		if err := c.page(ctx, path, site[path], seen, pin); err != nil {
			return fmt.Errorf("%s at %d: %w", path, pin, err)
		}
	}
	for _, path := range c.History.Gone(site) {
		answer, err := c.same(ctx, c.path(Slug(path), pinned(pin)))
		if err == nil && answer.Status != http.StatusNotFound {
			err = fmt.Errorf("answers %d, though the page is not there", answer.Status)
		}
		if err != nil {
			return fmt.Errorf("%s at %d: %w", path, pin, err)
		}
	}
	return nil
}

// page compares one entry in the list, by slug and by id.
func (c *Check) page(ctx context.Context, path string, want Page, listed map[string]node.Entry, pin uint64) error {
	slug := Slug(path)
	inList, ok := listed[slug]
	if !ok {
		return fmt.Errorf("the list lacks %s", slug)
	}
	if err := compare(inList.Fields, slug, want); err != nil {
		return fmt.Errorf("in the list: %w", err)
	}
	for _, ref := range []string{slug, inList.ID} {
		answer, err := c.same(ctx, c.path(ref, pinned(pin)))
		if err != nil {
			return err
		}
		single, err := answer.Entry()
		if err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
		if !reflect.DeepEqual(single, inList) {
			return fmt.Errorf("%s differs from the list", ref)
		}
	}
	return nil
}

func compare(raw jsontext.Value, slug string, want Page) error {
	var got fields
	if err := json.Unmarshal(raw, &got, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	expected := fieldsOf(want)
	expected.Slug = slug
	if !reflect.DeepEqual(got, expected) {
		return fmt.Errorf("%s reads %.300s", slug, raw)
	}
	return nil
}

// Locale compares the list as a reader in one locale sees it.
func (c *Check) Locale(ctx context.Context, site Site, pin uint64, locale string) error {
	query := pinned(pin)
	query.Set("limit", "100")
	query.Set("locale", locale)
	count := 0
	bySlug := map[string]Page{}
	for path, page := range site {
		bySlug[Slug(path)] = page
	}
	err := c.walk(ctx, query, func(e node.Entry) error {
		count++
		want, ok := bySlug[*e.Slug].In(locale)
		if !ok {
			return fmt.Errorf("%s is not in the source", *e.Slug)
		}
		var got struct {
			Slug string `json:"slug"`
			Text
		}
		if err := json.Unmarshal(e.Fields, &got, json.RejectUnknownMembers(true)); err != nil {
			return err
		}
		if got.Text != want || got.Slug != *e.Slug {
			return fmt.Errorf("%s in %s reads %.300s", *e.Slug, locale, e.Fields)
		}
		return nil
	})
	if err == nil && count != len(site) {
		err = fmt.Errorf("%d entries, the source has %d", count, len(site))
	}
	if err != nil {
		return fmt.Errorf("list in %s at %d: %w", locale, pin, err)
	}
	return nil
}

// walk reads every page of the list on every node, the cursor of one good on all, and hands on the entries of each page
// once. Entries come newest first.
func (c *Check) walk(ctx context.Context, query url.Values, each func(node.Entry) error) error {
	last := ""
	query = maps.Clone(query)
	for {
		answer, err := c.same(ctx, c.path("", query))
		if err != nil {
			return err
		}
		page, err := answer.Page()
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if last != "" && e.ID >= last {
				return fmt.Errorf("%s comes after %s", e.ID, last)
			}
			last = e.ID
			if err := each(e); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return nil
		}
		query.Set("cursor", page.Next)
	}
}

// same asks every node and returns the answer that all of them give.
func (c *Check) same(ctx context.Context, path string) (node.Answer, error) {
	answers, err := node.Ask(ctx, c.Nodes, path)
	if err != nil {
		return node.Answer{}, err
	}
	for _, a := range answers {
		c.Reads++
		c.Bytes += len(a.Body)
	}
	return answers[0], node.Same(answers)
}

func (c *Check) path(ref string, query url.Values) string {
	path := "/v1/projects/" + c.Project + "/collections/" + Collection + "/entries"
	if ref != "" {
		path += "/" + ref
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

func pinned(pin uint64) url.Values {
	query := url.Values{}
	if pin > 0 {
		query.Set("at", strconv.FormatUint(pin, 10))
	}
	return query
}
