package schema

import (
	"slices"

	"github.com/cockroachdb/apd/v3"
	"github.com/go-json-experiment/json/jsontext"
)

// options hands out the members of an object one by one and knows, at the end, which were never asked for.
type options struct {
	p       *parser
	at      *node
	members []member
	asked   []string
}

// options opens n, or reports that it is no object and returns nil.
func (p *parser) options(n *node, what string) *options {
	if n.kind != '{' {
		p.fault(n.path(), CodeType, "must be an object (%s), not %s", what, KindNoun(n.kind))
		return nil
	}
	return &options{p: p, at: n, members: n.members()}
}

func (o *options) path(key string) string { return join(o.at.path(), key) }

// node returns the member with this key, or nil.
func (o *options) node(key string) *node {
	o.asked = append(o.asked, key)
	for _, m := range o.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// nullable is node for the options whose default is null.
func (o *options) nullable(key string) *node {
	if n := o.node(key); n != nil && n.kind != 'n' {
		return n
	}
	return nil
}

// typed returns the member where it is of this kind, and reports another kind.
func (o *options) typed(n *node, kind jsontext.Kind, noun string) *node {
	if n != nil && n.kind != kind {
		o.p.fault(n.path(), CodeType, "must be %s, not %s", noun, KindNoun(n.kind))
		return nil
	}
	return n
}

func (o *options) text(key string) string { return o.textOf(o.node(key)) }

func (o *options) textOf(n *node) string {
	if n = o.typed(n, '"', "a string"); n == nil {
		return ""
	}
	s, _ := n.text()
	return s
}

// requiredText is text for an option that must be there and say something.
func (o *options) requiredText(key, what string) string {
	n := o.node(key)
	if n == nil {
		o.p.fault(o.path(key), CodeRequired, "is missing: %s", what)
		return ""
	}
	s := o.textOf(n)
	if s == "" && n.kind == '"' {
		o.p.fault(n.path(), CodeRequired, "must not be empty: %s", what)
	}
	return s
}

func (o *options) flag(key string) bool {
	n := o.node(key)
	if n == nil {
		return false
	}
	if n.kind != 't' && n.kind != 'f' {
		o.p.fault(n.path(), CodeType, "must be true or false, not %s", KindNoun(n.kind))
	}
	return n.kind == 't'
}

// maxCount bounds lengths and numbers of items in options.
const maxCount = 1_000_000_000

// count reads a whole number from 0 up.
func (o *options) count(key string) *int {
	n := o.typed(o.node(key), '0', "a whole number")
	if n == nil {
		return nil
	}
	d, err := ParseNumber(string(n.raw))
	if err != nil {
		return nil // readNode has reported it
	}
	if !isIntegral(d) || d.Sign() < 0 || d.Cmp(apd.New(maxCount, 0)) > 0 {
		o.p.fault(n.path(), CodeRange, "must be a whole number from 0 to %d", maxCount)
		return nil
	}
	whole, _ := d.Int64()
	i := int(whole)
	return &i
}

// counts reads a lower and an upper bound. A lower bound of 0 says nothing.
func (o *options) counts(lower, upper string) (low, high *int) {
	low, high = o.count(lower), o.count(upper)
	if low != nil && high != nil && *low > *high {
		o.p.fault(o.path(lower), CodeRange, "must not be greater than %s (%d)", upper, *high)
	}
	if low != nil && *low == 0 {
		low = nil
	}
	return low, high
}

// texts reads an array of distinct, non-empty strings; nil where the option is absent.
func (o *options) texts(key string, mayBeEmptyString bool) []string {
	n := o.typed(o.node(key), '[', "an array of strings")
	if n == nil {
		return nil
	}
	items := n.items()
	texts, seen := make([]string, 0, len(items)), map[string]bool{}
	for _, item := range items {
		s, ok := item.text()
		switch {
		case !ok:
			o.p.fault(item.path(), CodeType, "must be a string, not %s", KindNoun(item.kind))
			continue
		case s == "" && !mayBeEmptyString:
			o.p.fault(item.path(), CodeEmpty, "must not be empty")
		case seen[s]:
			o.p.fault(item.path(), CodeDuplicate, "%s is listed twice", Quote(s))
		}
		seen[s] = true
		texts = append(texts, s)
	}
	if len(items) == 0 {
		o.p.fault(n.path(), CodeEmpty, "must list at least one")
	}
	return texts
}

// done reports every member that was never asked for, with the one that was probably meant.
func (o *options) done(what string) {
	for _, m := range o.members {
		if slices.Contains(o.asked, m.key) {
			continue
		}
		if len(o.p.items) >= maxFaults {
			o.p.more++
			continue
		}
		if meant := Nearest(m.key, o.asked); meant != "" {
			o.p.fault(m.value.path(), CodeUnknownOption, "is not an option of %s; did you mean %s?", what, meant)
		} else {
			o.p.fault(m.value.path(), CodeUnknownOption, "is not an option of %s", what)
		}
	}
}

// choice reads one of a closed list of words, the first being the default.
func choice[S ~string](o *options, key string, all []S) S {
	n := o.node(key)
	if n == nil {
		return all[0]
	}
	s := S(o.textOf(n))
	if n.kind == '"' && !slices.Contains(all, s) {
		o.p.fault(n.path(), CodeUnknownType, "%s is not one of %s", Quote(string(s)), quoteAll(all))
	}
	return s
}
