package schema

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
