package validate

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
)

// richText checks a tree. Its root is {"type": "doc", "content": […]}. A node has a type, and may have attrs (an
// object), content (an array of nodes) and marks (an array of {"type", "attrs"}, each type once); a node of type
// text has text instead of content. Node and mark types are open, since editors bring their own; what the service
// itself gives a meaning is checked: the attributes entry, asset, alt, href and level.
func (k *checker) richText(raw jsontext.Value, path string) {
	if !k.is(raw, '{', "a richText tree: an object of type doc", path) {
		return
	}
	n := k.readNode(raw, path)
	if n.kind != "doc" {
		k.add(path+".type", schema.CodeRichText, "must be doc: it is the root of the tree")
		return
	}
	if n.content == nil {
		k.add(path+".content", schema.CodeRichText, "is required: an array of nodes")
		return
	}
	k.nodes(n.content, path+".content")
}

// node is what the rules look at; members that are missing are nil.
type node struct {
	kind                        string
	attrs, content, marks, text jsontext.Value
}

func (k *checker) readNode(raw jsontext.Value, path string) node {
	var n node
	for _, m := range k.members(raw) {
		switch m.Name {
		case "type":
			n.kind = text(m.Value)
		case "attrs":
			n.attrs = m.Value
		case "content":
			n.content = m.Value
		case "marks":
			n.marks = m.Value
		case "text":
			n.text = m.Value
		}
	}
	if n.attrs != nil && n.attrs.Kind() != 'n' && k.is(n.attrs, '{', "an object", path+".attrs") {
		k.attributes(n.attrs, path+".attrs")
	}
	return n
}

func (k *checker) nodes(raw jsontext.Value, path string) {
	if !k.is(raw, '[', "an array of nodes", path) {
		return
	}
	for i, item := range k.elements(raw) {
		at := position(path, i)
		if k.is(item, '{', "a node: an object with a type", at) {
			k.node(item, at)
		}
	}
}

func (k *checker) node(raw jsontext.Value, path string) {
	n := k.readNode(raw, path)
	switch {
	case n.kind == "":
		k.add(path+".type", schema.CodeRichText, "is required: the type of the node, as a string")
	case n.kind == "doc":
		k.add(path+".type", schema.CodeRichText, "doc can only be the root")
	case n.kind == "text" && n.content != nil:
		k.add(path+".content", schema.CodeRichText, "a text node has no content")
	case n.kind == "text" && n.text.Kind() != '"':
		k.add(path+".text", schema.CodeRichText, "is required: the text of the node, as a string")
	case n.kind != "text" && n.text != nil:
		k.add(path+".text", schema.CodeRichText, "only a node of type text has text")
	}
	if n.content != nil && n.kind != "text" {
		k.nodes(n.content, path+".content")
	}
	if n.marks != nil {
		k.marks(n.marks, path+".marks")
	}
}

func (k *checker) marks(raw jsontext.Value, path string) {
	if !k.is(raw, '[', "an array of marks", path) {
		return
	}
	seen := map[string]bool{}
	for i, item := range k.elements(raw) {
		at := position(path, i)
		if !k.is(item, '{', "a mark: an object with a type", at) {
			continue
		}
		kind := k.readNode(item, at).kind
		switch {
		case kind == "":
			k.add(at+".type", schema.CodeRichText, "is required: the type of the mark, as a string")
		case seen[kind]:
			k.add(at+".type", schema.CodeDuplicate, "the mark %s is set twice", schema.Show(kind))
		}
		seen[kind] = true
	}
}

func (k *checker) attributes(raw jsontext.Value, path string) {
	for _, m := range k.members(raw) {
		if m.Value.Kind() == 'n' {
			continue
		}
		at := path + "." + m.Name
		switch m.Name {
		case "entry":
			if !content.IsID[content.EntryID](text(m.Value)) {
				k.add(at, schema.CodeReference, "must be the id of an entry: ent_ and 26 characters")
			}
		case "asset":
			if !content.IsID[content.AssetID](text(m.Value)) {
				k.add(at, schema.CodeAsset, "must be the id of an asset: ast_ and 26 characters")
			}
		case "alt":
			k.is(m.Value, '"', "a string", at)
		case "href":
			if k.is(m.Value, '"', "a string", at) && !isLink(text(m.Value)) {
				k.add(at, schema.CodeRichText, "must be a relative link, or one with http, https, mailto or tel")
			}
		case "level":
			if s := string(m.Value); len(s) != 1 || s < "1" || s > "6" {
				k.add(at, schema.CodeRichText, "must be a heading level from 1 to 6")
			}
		}
	}
}

// isLink refuses links that run code or carry data. As browsers do, it looks past control characters and spaces.
func isLink(href string) bool {
	href = strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, href)
	scheme, _, found := strings.Cut(href, ":")
	if !found || strings.ContainsAny(scheme, "/?#") {
		return true // relative
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "tel":
		return true
	}
	return false
}

// text returns what a JSON string says, and "" of any other value.
func text(raw jsontext.Value) string {
	s, _ := schema.Unquote(raw)
	return string(s)
}
