package schema

func (p *parser) list(o *options, f *Field, at place) {
	f.MinItems, f.MaxItems = o.counts("minItems", "maxItems")
	of := o.node("of")
	if of == nil {
		p.fault(o.path("of"), CodeRequired, "is missing: what the list holds, such as {\"type\": \"text\"}")
		return
	}
	f.Of = p.field(of, place{item: true, depth: at.depth, blocks: at.blocks})
}

func (p *parser) object(o *options, f *Field, at place) {
	n := o.node("fields")
	if n == nil {
		p.fault(o.path("fields"), CodeRequired, "is missing: the nested fields by key")
		return
	}
	if at.depth > MaxNestingDepth {
		p.fault(o.at.path(), CodeTooDeep, "is nested too deep: objects and lists of objects go %d deep at most, not counting blocks", MaxNestingDepth)
		return
	}
	f.Fields = p.fields(n, at.inObject())
}

func (p *parser) blocks(o *options, f *Field, at place) {
	f.MinItems, f.MaxItems = o.counts("minItems", "maxItems")
	n := o.node("allowed")
	var items []*node
	if n != nil {
		items = n.items()
	}
	switch {
	case n == nil:
		p.fault(o.path("allowed"), CodeRequired, "is missing: the blocks that may stand here")
		return
	case n.kind != '[':
		p.fault(n.path(), CodeType, "must be an array of blocks, not %s", KindNoun(n.kind))
		return
	case len(items) == 0:
		p.fault(n.path(), CodeEmpty, "must list at least one block")
		return
	case len(items) > MaxFields:
		p.fault(n.path(), CodeTooMany, "lists %d blocks; at most %d are possible", len(items), MaxFields)
		return
	}
	if at.blocks >= MaxNestingDepth {
		p.fault(o.at.path(), CodeTooDeep, "is nested too deep: blocks go %d deep at most", MaxNestingDepth)
		return
	}
	for _, item := range items {
		b := p.block(item, at)
		if b == nil {
			continue
		}
		if b.Key != "" && f.Block(b.Key) != nil {
			p.fault(join(item.path(), "key"), CodeDuplicate, "another block has the key %s", Quote(b.Key))
		}
		f.Blocks = append(f.Blocks, b)
	}
}

func (p *parser) block(n *node, at place) *Block {
	o := p.options(n, "a block")
	if o == nil {
		return nil
	}
	b := &Block{Key: o.requiredText("key", "the type of the block, such as \"quote\""), Label: o.text("label")}
	if b.Key != "" && !isKey(b.Key) {
		p.fault(o.path("key"), CodeKey, "%s is not a block key: letters, digits and underscores, a letter first, at most %d", Quote(b.Key), MaxKeyLength)
	}
	fields := o.node("fields")
	o.done("a block")
	if fields == nil {
		p.fault(o.path("fields"), CodeRequired, "is missing: the fields of the block by key")
		return b
	}
	b.Fields = p.fields(fields, at.inBlock())
	return b
}
