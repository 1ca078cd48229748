package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// Policy is the policy of a collection, ready to be held against entries (interface, "Policy rules"). It is enforced at
// publish, never at a draft.
type Policy struct {
	collection *schema.Collection
	terms      [][]value.Term // of each rule
}

// Asset is what the altText rule needs to know of an asset.
type Asset struct{ ContentType, DefaultAlt string }

// PolicyOf prepares the policy of a collection; nil where it declares none.
func PolicyOf(c *schema.Collection) *Policy {
	if len(c.Policy) == 0 {
		return nil
	}
	p := &Policy{collection: c, terms: make([][]value.Term, len(c.Policy))}
	for i, rule := range c.Policy {
		for _, term := range rule.Terms {
			p.terms[i] = append(p.terms[i], value.NewTerm(term))
		}
	}
	return p
}

// Check finds every way in which stored field values break the policy, each with the code policy_violation and the
// reason of its rule. Locales of a localized field are looked at one by one. assets tells about the assets of the
// project; an id that it does not know names no image. A nil policy finds nothing.
func (p *Policy) Check(locales value.Locales, fields jsontext.Value, assets func(content.AssetID) (Asset, bool)) ([]fault.Item, error) {
	if p == nil {
		return nil, nil
	}
	members, err := value.Members(fields)
	if err != nil {
		return nil, err
	}
	e := enforcer{
		checker: checker{locales: locales}, assets: assets, values: map[string]jsontext.Value{}, readings: map[string]value.Reading{},
	}
	for _, m := range members {
		e.values[m.Name] = m.Value
	}
	for i, rule := range p.collection.Policy {
		if err := e.rule(p.collection, rule, p.terms[i]); err != nil {
			return nil, err
		}
	}
	return e.found(), e.err
}

// enforcer collects what one entry breaks.
type enforcer struct {
	checker
	assets func(content.AssetID) (Asset, bool)
	values map[string]jsontext.Value // by field
	// readings are those that a rule has asked for, by the path of the leaf: reading prose is what takes time.
	readings map[string]value.Reading
}

func (e *enforcer) read(l value.Leaf) (value.Reading, error) {
	r, done := e.readings[l.Path]
	if done {
		return r, nil
	}
	r, err := l.Read()
	if err == nil {
		e.readings[l.Path] = r
	}
	return r, err
}

func (e *enforcer) rule(c *schema.Collection, r schema.Rule, terms []value.Term) error {
	switch r.Kind {
	case schema.RuleLength:
		return e.eachValue(c.Field(r.Field), func(raw jsontext.Value, path string) error {
			return e.length(c.Field(r.Field), r, raw, path)
		})
	case schema.RuleRequired:
		for _, key := range r.Fields {
			if err := e.required(c.Field(key), r); err != nil {
				return err
			}
		}
		return nil
	case schema.RuleBannedTerms:
		return e.leaves(c, r.Fields, func(l value.Leaf) error { return e.banned(r, terms, l) })
	case schema.RuleAltText:
		return e.leaves(c, nil, func(l value.Leaf) error { return e.altText(r, l) })
	}
	return fmt.Errorf("the policy of %s has the unknown rule %q", c.Name, r.Kind)
}

const maxReason = 500 // characters of a reason that are shown

// violation notes what breaks a rule, with the rule's reason.
func (e *enforcer) violation(r schema.Rule, path, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if r.Reason != "" {
		message += " (" + schema.ShowUpTo(r.Reason, maxReason) + ")"
	}
	e.add(path, schema.CodePolicy, "%s", message)
}

// eachValue visits the values of a field, one per locale.
func (e *enforcer) eachValue(f *schema.Field, visit func(raw jsontext.Value, path string) error) error {
	values, err := e.locales.Values(f, e.values[f.Key])
	for _, v := range values {
		if err == nil {
			err = visit(v.Value, strings.TrimSuffix("fields."+f.Key+"."+v.Name, "."))
		}
	}
	return err
}

// leaves visits the leaves of the fields with these keys; of every field where keys is nil.
func (e *enforcer) leaves(c *schema.Collection, keys []string, visit func(value.Leaf) error) error {
	for _, f := range c.Fields {
		if keys != nil && !slices.Contains(keys, f.Key) {
			continue
		}
		err := e.eachValue(f, func(raw jsontext.Value, path string) error { return value.Leaves(f, raw, path, visit) })
		if err != nil {
			return err
		}
	}
	return nil
}
