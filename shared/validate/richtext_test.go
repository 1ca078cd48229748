package validate

import (
	"testing"

	"svc/shared/value"
)

func TestRichText(t *testing.T) {
	c := collection(t, `"f":{"type":"richText"}`)
	doc := func(content string) string { return `{"type":"doc","content":[` + content + `]}` }
	text := func(marks string) string { return doc(`{"type":"text","text":"x","marks":[` + marks + `]}`) }
	const at = "fields.f.content[0]"
	for _, tt := range []struct{ name, value, want string }{
		{"empty document", doc(``), ""},
		{"paragraph", doc(`{"type":"paragraph","content":[{"type":"text","text":"x","marks":[{"type":"bold"},{"type":"link","attrs":{"href":"/a?b:c"}}]}]}`), ""},
		{"nodes of an editor's own", doc(`{"type":"callout","attrs":{"tone":"warm"},"version":1}`), ""},
		{"entry and asset", doc(`{"type":"mention","attrs":{"entry":` + entryID + `}},{"type":"image","attrs":{"asset":` + assetID + `,"alt":"x"}}`), ""},
		{"a string", `"x"`, "fields.f type"},
		{"another root", `{"type":"paragraph","content":[]}`, "fields.f.type rich_text"},
		{"a root without content", `{"type":"doc"}`, "fields.f.content rich_text"},
		{"content that is no array", `{"type":"doc","content":{}}`, "fields.f.content type"},
		{"a node that is no object", doc(`"x"`), at + " type"},
		{"a node without a type", doc(`{"content":[]}`), at + ".type rich_text"},
		{"a document in a document", doc(doc(``)), at + ".type rich_text"},
		{"text without text", doc(`{"type":"text"}`), at + ".text rich_text"},
		{"text with content", doc(`{"type":"text","text":"x","content":[]}`), at + ".content rich_text"},
		{"text on another node", doc(`{"type":"paragraph","text":"x"}`), at + ".text rich_text"},
		{"attrs that are no object", doc(`{"type":"paragraph","attrs":[]}`), at + ".attrs type"},
		{"marks that are no array", doc(`{"type":"text","text":"x","marks":{}}`), at + ".marks type"},
		{"a mark without a type", text(`{}`), at + ".marks[0].type rich_text"},
		{"a mark twice", text(`{"type":"bold"},{"type":"bold"}`), at + ".marks[1].type duplicate"},
		{"a link that runs code", text(`{"type":"link","attrs":{"href":"javascript:alert(1)"}}`), at + ".marks[0].attrs.href rich_text"},
		{"a hidden link that runs code", text(`{"type":"link","attrs":{"href":" Java\tScript:alert(1)"}}`), at + ".marks[0].attrs.href rich_text"},
		{"a link with data", text(`{"type":"link","attrs":{"href":"data:text/html,x"}}`), at + ".marks[0].attrs.href rich_text"},
		{"a bad entry id", doc(`{"type":"mention","attrs":{"entry":"x"}}`), at + ".attrs.entry reference"},
		{"a bad asset id", doc(`{"type":"image","attrs":{"asset":1}}`), at + ".attrs.asset asset"},
		{"a heading level", doc(`{"type":"heading","attrs":{"level":6}}`), ""},
		{"a heading level beyond", doc(`{"type":"heading","attrs":{"level":7}}`), at + ".attrs.level rich_text"},
		{"deep inside", doc(`{"type":"list","content":[{"type":"item","content":[{"type":"text","text":1}]}]}`), at + ".content[0].content[0].text rich_text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, items := Entry(c, value.Locales{}, []byte(`{"f":`+tt.value+`}`), value.FillRequired)
			if got := codes(items); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
