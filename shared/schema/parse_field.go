package schema

// place says where a field stands: what it may be depends on that.
type place struct {
	collection bool // a field of the collection itself
	item       bool // the item of a list
	depth      int  // the objects around it, and 1 for a top-level field
	blocks     int  // the blocks around it
}

// inObject is the place of the fields of an object.
func (at place) inObject() place { return place{depth: at.depth + 1, blocks: at.blocks} }

// inBlock is the place of the fields of a block.
func (at place) inBlock() place { return place{depth: at.depth, blocks: at.blocks + 1} }

// fields reads a map of fields, keeping its order.
func (p *parser) fields(n *node, at place) Fields {
	if n.kind != '{' {
		p.fault(n.path(), CodeType, "must be an object of fields by key, not %s", KindNoun(n.kind))
		return nil
	}
	members := n.members()
	if len(members) > MaxFields {
		p.fault(n.path(), CodeTooMany, "has %d fields; at most %d are possible", len(members), MaxFields)
		return nil
	}
	fields := make(Fields, 0, len(members))
	for _, m := range members {
		if !isKey(m.key) {
			p.fault(m.value.path(), CodeKey, "%s is not a field key: letters, digits and underscores, a letter first, at most %d", Quote(m.key), MaxKeyLength)
		}
		f := p.field(m.value, at)
		f.Key = m.key
		fields = append(fields, f)
	}
	return fields
}

// field reads a field, or the item of a list.
func (p *parser) field(n *node, at place) *Field {
	f := &Field{}
	o := p.options(n, "a field")
	if o == nil {
		return f
	}
	f.Type = FieldType(o.requiredText("type", "one of "+quoteAll(typesAt(at))))
	if !p.typeFits(o, f.Type, at) {
		return f
	}
	if !at.item {
		p.common(o, f, at)
	}
	p.typeOptions(o, f, at)
	if at.item {
		o.done("the items of a list of " + string(f.Type))
	} else {
		o.done("a field of type " + string(f.Type))
	}
	return f
}

// typesAt lists the types that may stand in a place.
func typesAt(at place) []FieldType {
	if at.item {
		return ItemTypes()
	}
	return FieldTypes()
}

// typeFits reports a type that does not exist or may not stand here.
func (p *parser) typeFits(o *options, t FieldType, at place) bool {
	path := o.path("type")
	known := false
	for _, each := range FieldTypes() {
		known = known || each == t
	}
	switch {
	case t == "":
		return false // reported
	case !known:
		p.fault(path, CodeUnknownType, "%s is not one of %s", Quote(string(t)), quoteAll(typesAt(at)))
		return false
	case at.item && t == TypeList:
		p.fault(path, CodeNotAllowed, "a list cannot hold lists; put an object around the inner one")
		return false
	case at.item && (t == TypeSlug || t == TypeRichText || t == TypeBlocks):
		p.fault(path, CodeNotAllowed, "a list cannot hold %s; its items are one of %s", t, quoteAll(ItemTypes()))
		return false
	case t == TypeSlug && !at.collection:
		p.fault(path, CodeNotAllowed, "only a top-level field can be a slug")
		return false
	}
	return true
}

// common reads the options that every field has.
func (p *parser) common(o *options, f *Field, at place) {
	f.Label = o.text("label")
	f.Description = o.text("description")
	f.Required = o.flag("required")
	f.Localized = o.flag("localized")
	if f.Localized && !at.collection {
		p.fault(o.path("localized"), CodeNotAllowed, "only a top-level field can be localized")
	}
	if f.Localized && f.Type == TypeSlug {
		p.fault(o.path("localized"), CodeNotAllowed, "a slug cannot be localized")
	}
	if n := o.node("ui"); n != nil {
		f.UI = p.ui(n)
	}
}

func (p *parser) ui(n *node) *UI {
	o := p.options(n, "hints for editors")
	if o == nil {
		return nil
	}
	ui := &UI{
		Widget: o.text("widget"), Placeholder: o.text("placeholder"), HelpText: o.text("helpText"),
		Group: o.text("group"), Hidden: o.flag("hidden"),
	}
	o.done("ui")
	if *ui == (UI{}) {
		return nil
	}
	return ui
}

// typeOptions reads the options of the field's type.
func (p *parser) typeOptions(o *options, f *Field, at place) {
	switch f.Type {
	case TypeText:
		p.text(o, f, at)
	case TypeMarkdown:
		f.MinLength, f.MaxLength = o.counts("minLength", "maxLength")
	case TypeNumber:
		f.Integer = o.flag("integer")
		p.numberBounds(o, f)
	case TypeDate, TypeDatetime:
		p.timeBounds(o, f)
	case TypeAsset:
		f.Allowed = p.families(o)
	case TypeReference:
		p.reference(o, f)
	case TypeSlug:
		f.From = o.text("from")
	case TypeList:
		p.list(o, f, at)
	case TypeObject:
		p.object(o, f, at)
	case TypeBlocks:
		p.blocks(o, f, at)
	}
	if at.item {
		return
	}
	switch f.Type {
	case TypeAsset, TypeReference:
		f.Multiple = o.flag("multiple")
	case TypeText, TypeNumber, TypeBoolean, TypeDate, TypeDatetime, TypeMarkdown, TypeJSON:
		p.defaultValue(o, f)
	}
}

func (p *parser) reference(o *options, f *Field) {
	f.To = o.requiredText("to", "the name of the collection the reference leads to")
	if f.To != "" {
		p.targets = append(p.targets, target{path: o.path("to"), to: f.To})
	}
}
