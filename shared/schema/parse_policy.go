package schema

import "strings"

// policy reads the policy rules of c, whose fields are known by now.
func (p *parser) policy(n *node, c *Collection) []Rule {
	if n == nil {
		return nil
	}
	if n.kind != '[' {
		p.fault(n.path(), CodeType, "must be an array of policy rules, not %s", KindNoun(n.kind))
		return nil
	}
	items := n.items()
	if len(items) > MaxRules {
		p.fault(n.path(), CodeTooMany, "has %d rules; at most %d are possible", len(items), MaxRules)
		return nil
	}
	var rules []Rule
	for _, item := range items {
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
		p.terms(o, &r)
		r.Fields = p.declared(o, c)
	case RuleAltText:
	case "":
		return r
	default:
		p.fault(o.path("rule"), CodeUnknownType, "%s is not one of %s", Quote(string(r.Kind)), quoteAll(RuleKinds()))
		return r
	}
	o.done("the rule " + string(r.Kind))
	return r
}

// terms reads the terms of a bannedTerms rule. One of white space alone would refuse nothing, or everything.
func (p *parser) terms(o *options, r *Rule) {
	n := o.node("terms")
	if n == nil {
		p.fault(o.path("terms"), CodeRequired, "is missing: the terms to refuse")
		return
	}
	items := n.items()
	if len(items) > MaxTerms {
		p.fault(n.path(), CodeTooMany, "lists %d terms; at most %d are possible", len(items), MaxTerms)
		return
	}
	r.Terms = o.texts("terms", false)
	for _, item := range items {
		if term, ok := item.text(); ok && term != "" && strings.TrimSpace(term) == "" {
			p.fault(item.path(), CodeEmpty, "must not be white space alone")
		}
	}
}

func (p *parser) lengthRule(o *options, c *Collection, r *Rule) {
	r.Field = o.requiredText("field", "the field to measure")
	switch f := c.Field(r.Field); {
	case r.Field == "": // reported
	case f == nil:
		p.fault(o.path("field"), CodeUnknownField, "there is no field %s", Quote(r.Field))
	case f.Type != "" && !f.Type.HasText():
		p.fault(o.path("field"), CodeNotAllowed, "measures text, and a field of type %s holds none", f.Type)
	}
	given := len(p.items)
	r.Min, r.Max = o.counts("min", "max")
	r.Words = o.flag("words")
	if r.Min == nil && r.Max == nil && len(p.items) == given {
		p.fault(o.at.path(), CodeRequired, "needs a min above 0, a max, or both")
	}
}

// declared reads "fields", each of which must be a top-level field of c.
func (p *parser) declared(o *options, c *Collection) []string {
	keys := o.texts("fields", false)
	n := o.node("fields")
	if n == nil {
		return nil
	}
	for _, item := range n.items() {
		if key, ok := item.text(); ok && key != "" && c.Field(key) == nil {
			p.fault(item.path(), CodeUnknownField, "there is no field %s", Quote(key))
		}
	}
	if keys == nil {
		keys = []string{}
	}
	return keys
}
