package schema

// policy reads the policy rules of c, whose fields are known by now.
func (p *parser) policy(n *node, c *Collection) []Rule {
	if n == nil {
		return nil
	}
	if n.kind != '[' {
		p.fault(n.path, CodeType, "must be an array of policy rules, not %s", KindNoun(n.kind))
		return nil
	}
	var rules []Rule
	for _, item := range n.items {
		if o := p.options(item, "a policy rule"); o != nil {
			rules = append(rules, p.rule(o, c))
		}
	}
	return rules
}

func (p *parser) rule(o *options, c *Collection) Rule {
	r := Rule{Kind: RuleKind(o.requiredText("rule", "one of "+quoteAll(RuleKinds()))), Reason: o.text("reason")}
	switch r.Kind {
	case RuleLength:
		p.lengthRule(o, c, &r)
	case RuleRequired:
		if r.Fields = p.declared(o, c); r.Fields == nil {
			p.fault(o.path("fields"), CodeRequired, "is missing: the fields that must not be empty")
		}
	case RuleBannedTerms:
		if r.Terms = o.texts("terms", false); r.Terms == nil {
			p.fault(o.path("terms"), CodeRequired, "is missing: the terms to refuse")
		}
		r.Fields = p.declared(o, c)
	case RuleAltText:
	case "":
		return r
	default:
		p.fault(o.path("rule"), CodeUnknownType, "%q is not one of %s", shorten(string(r.Kind)), quoteAll(RuleKinds()))
		return r
	}
	o.done("the rule " + string(r.Kind))
	return r
}

func (p *parser) lengthRule(o *options, c *Collection, r *Rule) {
	r.Field = o.requiredText("field", "the field to measure")
	if r.Field != "" && c.Field(r.Field) == nil {
		p.fault(o.path("field"), CodeUnknownField, "there is no field %q", shorten(r.Field))
	}
	given := len(p.items)
	r.Min, r.Max = o.counts("min", "max")
	r.Words = o.flag("words")
	if r.Min == nil && r.Max == nil && len(p.items) == given {
		p.fault(o.at.path, CodeRequired, "needs a min above 0, a max, or both")
	}
}

// declared reads "fields", each of which must be a top-level field of c.
func (p *parser) declared(o *options, c *Collection) []string {
	keys := o.texts("fields", false)
	n := o.node("fields")
	if n == nil {
		return nil
	}
	for _, item := range n.items {
		if key, ok := item.text(); ok && key != "" && c.Field(key) == nil {
			p.fault(item.path, CodeUnknownField, "there is no field %q", shorten(key))
		}
	}
	if keys == nil {
		keys = []string{}
	}
	return keys
}
