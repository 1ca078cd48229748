package readtest

import "fmt"

// Shapes is how many schemas Shape knows.
const Shapes = 20

// Shape is the n-th of some versions of a collection, 1 to Shapes. Between them lies everything that a deployment may
// change: fields and nested fields come, go, change places and types and become localized; slugs go and come back; a
// collection becomes a singleton, private, or gets another label; the last ones refer to the collections posts and notes, and hold
// markdown at any depth. The same n is the same version, so deploying it again
// goes back to it.
func Shape(collection string, n uint32) Version {
	s := shapes[n-1]
	return Version{
		Name: collection, Version: 100 + n, Label: fmt.Sprint("Shape ", n),
		Canonical: fmt.Appendf(nil, `{"name":%q,%s}`, collection, s.schema),
	}
}

// ShapeFields is content that fits Shape(…, n); it tells revisions apart, but for the last shapes, where many values are
// equal and some are missing.
func ShapeFields(n uint32, revision uint64) string {
	if s := shapes[n-1]; s.fields != "" {
		return fmt.Sprintf(s.fields, revision)
	}
	return drawFields(Shape("any", n).Canonical, revision)
}

var shapes = [Shapes]struct{ schema, fields string }{
	{`"visibility":"public","fields":{"title":{"type":"text"},"slug":{"type":"slug"}}`,
		`{"title":"revision %d"}`},
	{`"visibility":"public","fields":{"rating":{"type":"number"},"slug":{"type":"slug"},"title":{"type":"text"}}`,
		`{"rating":%[1]d.50,"title":"revision %[1]d"}`},
	{`"visibility":"public","fields":{"title":{"type":"text"}}`,
		`{"title":"revision %d"}`},
	{`"visibility":"public","fields":{"title":{"type":"text","localized":true},"slug":{"type":"slug"}}`,
		`{"title":{"de":"Revision %[1]d","en":"revision %[1]d"}}`},
	{`"visibility":"public","fields":{"slug":{"type":"slug"},"title":{"type":"markdown"},"rating":{"type":"text"}}`,
		`{"title":"revision %[1]d","rating":"of %[1]d"}`},
	{`"visibility":"public","titleField":"title","path":"/x/{slug}","fields":{"title":{"type":"text"}}`,
		`{"title":"revision %d"}`},
	{`"visibility":"private","fields":{"title":{"type":"text"},"slug":{"type":"slug"}}`,
		`{"title":"revision %d"}`},
	{`"kind":"singleton","visibility":"public","fields":{"title":{"type":"text"}}`,
		`{"title":"revision %d"}`},
	{`"visibility":"public","fields":{"handle":{"type":"slug"},"seo":{"type":"object","fields":{"a":{"type":"text"},"b":{"type":"number"}}},"parts":{"type":"blocks","allowed":[{"key":"one","fields":{"x":{"type":"text"}}},{"key":"two","fields":{}}]}}`,
		`{"seo":{"a":"x","b":%[1]d},"parts":[{"type":"one","fields":{"x":"%[1]d"}},{"type":"two","fields":{}}]}`},
	{`"visibility":"public","fields":{"parts":{"type":"blocks","allowed":[{"key":"one","fields":{}}]},"seo":{"type":"object","localized":true,"fields":{"b":{"type":"number"}}}}`,
		`{"parts":[{"type":"one","fields":{}}],"seo":{"en":{"b":%d}}}`},
	{`"visibility":"public","fields":{"title":{"type":"text"},"n":{"type":"number"},"when":{"type":"datetime"},"flag":{"type":"boolean"},"ref":{"type":"reference","to":"posts"}}`, ""},
	{`"visibility":"public","fields":{"title":{"type":"text","localized":true},"n":{"type":"number","localized":true},"when":{"type":"date","localized":true},"slug":{"type":"slug"},"flag":{"type":"text"},"picture":{"type":"asset"}}`, ""},
	{`"visibility":"public","fields":{"title":{"type":"number"},"rating":{"type":"boolean"},"ref":{"type":"text"},"n":{"type":"number","localized":true},"flag":{"type":"boolean","localized":true},"picture":{"type":"asset","multiple":true}}`, ""},
	{`"visibility":"public","fields":{"flag":{"type":"boolean"},"ref":{"type":"reference","to":"posts","localized":true},"when":{"type":"datetime","localized":true},"title":{"type":"text","localized":true}}`, ""},
	{`"visibility":"public","fields":{"title":{"type":"markdown"},"slug":{"type":"slug"},"refs":{"type":"reference","to":"posts","multiple":true},"rich":{"type":"richText","localized":true},"data":{"type":"json"},"ref":{"type":"reference","to":"posts"}}`, ""},
	{`"visibility":"public","fields":{"title":{"type":"markdown","localized":true},"list":{"type":"list","of":{"type":"text"}},"parts":{"type":"blocks","allowed":[{"key":"one","fields":{"x":{"type":"markdown"},"to":{"type":"reference","to":"posts"}}}]},"refs":{"type":"reference","to":"posts","multiple":true,"localized":true},"slug":{"type":"slug"}}`, ""},
	{`"visibility":"public","fields":{"slug":{"type":"slug"},"title":{"type":"markdown"},"one":{"type":"reference","to":"notes"},"many":{"type":"reference","to":"notes","multiple":true},"ref":{"type":"reference","to":"posts"},` +
		`"seo":{"type":"object","fields":{"a":{"type":"markdown"},"in":{"type":"object","fields":{"x":{"type":"markdown"},"to":{"type":"reference","to":"notes"}}}}},` +
		`"parts":{"type":"blocks","allowed":[{"key":"one","fields":{"x":{"type":"markdown"},"to":{"type":"reference","to":"notes"}}},{"key":"two","fields":{"texts":{"type":"list","of":{"type":"markdown"}}}}]},"list":{"type":"list","of":{"type":"markdown"}}}`, ""},
	{`"visibility":"private","fields":{"title":{"type":"text","localized":true},"slug":{"type":"slug"},"ref":{"type":"reference","to":"posts","localized":true},"list":{"type":"list","localized":true,"of":{"type":"markdown"}},"many":{"type":"reference","to":"notes","multiple":true}}`, ""},
	{`"visibility":"public","fields":{"many":{"type":"reference","to":"notes","multiple":true,"localized":true},"one":{"type":"reference","to":"notes","localized":true},"slug":{"type":"slug"},"title":{"type":"markdown","localized":true},` +
		`"seo":{"type":"object","localized":true,"fields":{"a":{"type":"markdown"},"b":{"type":"number"}}},"list":{"type":"list","of":{"type":"object","fields":{"x":{"type":"markdown"},"to":{"type":"reference","to":"notes"}}}},` +
		`"parts":{"type":"blocks","localized":true,"allowed":[{"key":"two","fields":{"texts":{"type":"list","of":{"type":"object","fields":{"x":{"type":"markdown"}}}}}},{"key":"one","fields":{"x":{"type":"markdown"}}}]}}`, ""},
	{`"visibility":"private","path":"/n/{slug}","fields":{"title":{"type":"markdown"},"seo":{"type":"object","fields":{"a":{"type":"markdown"}}},"one":{"type":"reference","to":"posts"},"refs":{"type":"reference","to":"notes","multiple":true}}`, ""},
}
