package e2e

import (
	"maps"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
	"svc/shared/value"
)

const (
	sampledFields = 3  // of an entry
	sampledValue  = 80 // bytes of a value, as JSON
)

// compareFiltered compares lists by the values that one of the first entries has: two pages of each, of which every node
// makes the second from the cursor that all of them gave.
func (b *bed) compareFiltered(collection string, nodes []node.Node, base url.Values) {
	b.t.Helper()
	first := b.same(nodes, b.list(collection)+"?"+base.Encode())
	page, err := first.Page()
	b.check(err)
	if len(page.Entries) == 0 {
		return
	}
	members, err := value.Members(page.Entries[len(page.Entries)/2].Fields)
	b.check(err)
	fields := 0
	for _, m := range members {
		text, scalar := b.textOf(m.Value)
		if !scalar || fields == sampledFields {
			continue
		}
		fields++
		for _, q := range []url.Values{
			{"filter[" + m.Name + "]": {text}}, {"filter[" + m.Name + "][ne]": {text}, "order": {"-" + m.Name}}, {"order": {m.Name}},
		} {
			maps.Copy(q, base)
			b.twoPages(collection, nodes, q)
		}
	}
}

// twoPages compares the first two pages of a list, or that it is refused: some fields cannot be filtered by.
func (b *bed) twoPages(collection string, nodes []node.Node, query url.Values) {
	b.t.Helper()
	answer := b.same(nodes, b.list(collection)+"?"+query.Encode())
	if answer.Status == http.StatusBadRequest {
		return
	}
	page, err := answer.Page()
	b.check(err)
	if page.Next != "" {
		query.Set("cursor", page.Next)
		b.same(nodes, b.list(collection)+"?"+query.Encode())
	}
}

// textOf is a value as a filter gives it; false for one that is long, empty or not scalar.
func (b *bed) textOf(v jsontext.Value) (string, bool) {
	b.t.Helper()
	switch v.Kind() {
	case '"':
		var text string
		b.check(json.Unmarshal(v, &text))
		return text, text != "" && len(v) <= sampledValue
	case '0', 't', 'f':
		return string(v), len(v) <= sampledValue
	}
	return "", false
}
