package inprocess

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/client"
	"svc/shared/read/readtest"
)

// deploy changes one or two collections at once.
func (p *play) deploy() error {
	changed := []*form{p.alter()}
	if p.random.IntN(3) == 0 {
		changed = append(changed, p.alter()) // the same one perhaps
	}
	return p.push(changed...)
}

// alter changes a form as any deployment may: what it says is lost, or comes back, and nothing keeps it from going back to
// what it was.
func (p *play) alter() *form {
	f, a := pick(p, p.forms), pick(p, alterations)
	if i := slices.IndexFunc(p.forms, func(f *form) bool { return f.gone }); i >= 0 && p.random.IntN(2) == 0 {
		f = p.forms[i]
	}
	switch {
	case f.gone:
		f.gone = false
		p.tally.count(comesBack)
	case len(p.forms) == 3 && p.random.IntN(4) == 0:
		f = &form{name: "bare", label: "Bare"}
		p.forms = append(p.forms, f)
	case len(f.removed) > 0 && p.random.IntN(3) == 0:
		f.extra, f.removed = append(f.extra, f.removed...), nil
		p.tally.count(fieldsComeBack)
	case a.do(p, f):
		p.tally.count(a.name)
	}
	p.note("  gone: %v %s", f.gone, f.canonical())
	return f
}

// What was lost and comes back.
const (
	comesBack      = "a collection comes back"
	fieldsComeBack = "fields come back"
)

// alteration is one change of a form; it reports whether it could be made.
type alteration struct {
	name string
	do   func(p *play, f *form) bool
}

var alterations = []alteration{
	{"another label", func(p *play, f *form) bool { f.label = fmt.Sprintf("Label %d", p.pushes); return true }},
	{"another visibility", func(_ *play, f *form) bool { f.private = !f.private; return true }},
	{"a field comes", func(_ *play, f *form) bool {
		f.extra = append(f.extra, fmt.Sprintf("extra%d", len(f.extra)+len(f.removed)))
		return true
	}},
	{"a field goes", func(p *play, f *form) bool {
		if len(f.extra) == 0 {
			return false
		}
		gone := pick(p, f.extra)
		f.removed = append(f.removed, gone)
		f.extra = slices.DeleteFunc(slices.Clone(f.extra), func(key string) bool { return key == gone })
		return true
	}},
	{"another order", func(_ *play, f *form) bool { f.reversed = !f.reversed; return true }},
	{"slugs come or go", func(_ *play, f *form) bool { f.slugs = !f.slugs && !f.singleton; return true }},
	{"a field is localized", func(_ *play, f *form) bool { f.hinted = true; return true }},
	{"another kind", func(p *play, f *form) bool { return p.turn(f) }},
	{"a collection goes", func(p *play, f *form) bool { f.gone = len(p.deployed()) > 1; return f.gone }},
}

// turn makes a collection of a singleton, or one of a collection that has at most one entry.
func (p *play) turn(f *form) bool {
	if len(p.known(func(doc *document) bool { return doc.collection == f.name })) > 1 && !f.singleton {
		return false
	}
	f.singleton = !f.singleton
	f.slugs = f.slugs && !f.singleton
	return true
}

// push deploys all collections, of which some may have changed.
func (p *play) push(changed ...*form) error {
	p.pushes++
	var set []jsontext.Value
	for _, f := range p.deployed() {
		set = append(set, jsontext.Value(f.canonical()))
	}
	err := p.do(p.ctx, func(c *client.Client) error {
		_, err := c.PushSchema(p.ctx, p.project.Slug, set, true, "")
		return err
	})
	if err != nil {
		return err
	}
	s := readtest.Schema{Number: p.pushes, From: p.head + 1}
	slices.SortFunc(changed, func(a, b *form) int { return strings.Compare(a.name, b.name) })
	for _, f := range slices.Compact(changed) {
		if f.gone {
			s.Removed = append(s.Removed, f.name)
			continue
		}
		v, err := f.version()
		if err != nil {
			return err
		}
		s.Collections = append(s.Collections, v)
	}
	return p.model.PutSchema(p.ctx, p.settings.ID, s)
}
