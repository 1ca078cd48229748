// Package consistency publishes a release of many items while readers of lists and entries compare every answer with the one release
// that it names: its ids, in their order, and its values.
package consistency

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
)

// Collection is the key of the collection that is read.
const Collection = "items"

// Schema is the collection in canonical form.
func Schema() jsontext.Value {
	return jsontext.Value(`{"name":"items","kind":"collection","visibility":"public","fields":{
		"name":{"type":"text","required":true},"slug":{"type":"slug","from":"name"},
		"generation":{"type":"number","integer":true},"note":{"type":"text"}}}`)
}

// Item is an entry's content.
type Item struct {
	Name       string `json:"name"`
	Slug       string `json:"slug"`
	Generation int    `json:"generation"`
	Note       string `json:"note"`
}

// ItemAt is what an item says as of a generation.
func ItemAt(number, generation int) Item {
	return Item{
		Name: fmt.Sprintf("Item %06d", number), Slug: fmt.Sprintf("item-%06d", number), Generation: generation,
		Note: strings.Repeat(fmt.Sprintf("item %d as of generation %d. ", number, generation), 6),
	}
}

// Contents is everything that one release holds.
type Contents struct {
	ids    []string // in the order of lists: newest first
	byID   map[string]Item
	bySlug map[string]string
}

// NewContents makes contents of items by the ids of their entries.
func NewContents(byID map[string]Item) *Contents {
	e := &Contents{byID: byID, bySlug: map[string]string{}}
	for id, i := range byID {
		e.ids = append(e.ids, id)
		e.bySlug[i.Slug] = id
	}
	slices.SortFunc(e.ids, func(a, b string) int { return strings.Compare(b, a) })
	return e
}

// IDs are the entries in the order of lists.
func (e *Contents) IDs() []string { return e.ids }

// fits tells whether a page is exactly what the contents have after an id.
func (e *Contents) fits(page node.Page, after string, limit int) error {
	start := 0
	if after != "" {
		var there bool
		start, there = slices.BinarySearchFunc(e.ids, after, func(id, after string) int { return strings.Compare(after, id) })
		if there {
			start++
		}
	}
	want := e.ids[start:min(start+limit, len(e.ids))]
	if len(page.Entries) != len(want) {
		return fmt.Errorf("%d entries, not %d", len(page.Entries), len(want))
	}
	for i, got := range page.Entries {
		if got.ID != want[i] {
			return fmt.Errorf("entry %d is %s, not %s", i, got.ID, want[i])
		}
		if err := e.holds(got); err != nil {
			return err
		}
	}
	if more := start+limit < len(e.ids); more != (page.Next != "") {
		return fmt.Errorf("there is more: %v, the answer's cursor: %q", more, page.Next)
	}
	return nil
}

// holds tells whether an entry reads as the contents have it.
func (e *Contents) holds(got node.Entry) error {
	var fields Item
	if err := json.Unmarshal(got.Fields, &fields, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	want, ok := e.byID[got.ID]
	if !ok || fields != want || got.Slug == nil || *got.Slug != want.Slug {
		return fmt.Errorf("%s reads %.200s, not generation %d", got.ID, got.Fields, want.Generation)
	}
	return nil
}
