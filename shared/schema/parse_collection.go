package schema

import "strings"

// collection reads a collection. The result is good only where no fault was added.
func (p *parser) collection(n *node) *Collection {
	o := p.options(n, "a collection")
	if o == nil {
		return nil
	}
	c := &Collection{Name: o.requiredText("name", "the key of the collection, such as \"posts\"")}
	if c.Name != "" && !IsName(c.Name) {
		p.fault(o.path("name"), CodeKey, "%s is not a collection name: lower-case letters, digits and underscores, a letter first, at most %d", Quote(c.Name), MaxKeyLength)
	}
	if c.Label = o.text("label"); c.Label == "" {
		c.Label = c.Name
	}
	c.Kind = choice(o, "kind", Kinds())
	c.Visibility = choice(o, "visibility", Visibilities())
	c.TitleField = o.textOf(o.nullable("titleField"))
	c.Path = o.textOf(o.nullable("path"))
	c.Guidance = o.text("guidance")
	policy, fields := o.node("policy"), o.node("fields")
	o.done("a collection")
	if fields == nil {
		p.fault(o.path("fields"), CodeRequired, "is missing: the fields of the collection by key")
	} else {
		c.Fields = p.fields(fields, place{collection: true, depth: 1})
	}
	c.Policy = p.policy(policy, c)
	p.checkTitle(o, c)
	p.checkSlug(o, c)
	p.checkPath(o, c)
	return c
}

func (p *parser) checkTitle(o *options, c *Collection) {
	if c.TitleField != "" && c.Field(c.TitleField) == nil {
		p.fault(o.path("titleField"), CodeUnknownField, "there is no field %s", Quote(c.TitleField))
	}
}

func (p *parser) checkSlug(o *options, c *Collection) {
	var first *Field
	for _, f := range c.Fields {
		if f.Type != TypeSlug {
			continue
		}
		path := join(o.path("fields"), f.Key)
		switch {
		case c.Kind == KindSingleton:
			p.fault(path, CodeNotAllowed, "a singleton has no slug")
		case first != nil:
			p.fault(path, CodeDuplicate, "a collection has one slug field at most; %s is one already", first.Key)
		default:
			first = f
		}
		if f.From != "" && c.Field(f.From) == nil {
			p.fault(join(path, "from"), CodeUnknownField, "there is no field %s", Quote(f.From))
		}
	}
}

// checkPath checks the address template as far as every version of the service did: whatever was deployed must stay
// readable. What PathItems finds is for those who declare a path.
func (p *parser) checkPath(o *options, c *Collection) {
	if c.Path == "" {
		return
	}
	path := o.path("path")
	if c.Path[0] != '/' {
		p.fault(path, CodePattern, "must start with a slash, such as /blog/{slug}")
	}
	if strings.Count(c.Path, "{") != strings.Count(c.Path, "}") {
		p.fault(path, CodePattern, "has a brace without its partner")
		return
	}
	for _, name := range pathNames(c.Path) {
		switch {
		case name == "slug" && c.Kind == KindSingleton && c.Field(name) == nil:
			p.fault(path, CodeNotAllowed, "names {slug}, but a singleton has no slug")
		case isPathWord(c, name) || c.Field(name) != nil:
		default:
			p.fault(path, CodeUnknownField, "names %s between braces, but there is no field of that key", Quote(name))
		}
	}
}
