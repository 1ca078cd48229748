package inprocess

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/shared/content"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// play is one sequence of operations on a project of its own: what it did, and what must have come of it.
type play struct {
	*editor
	ctx    context.Context
	edges  []*stagedEdge
	script []string

	model    *readtest.Memory
	settings readtest.Settings
	forms    []*form
	pushes   uint64
	head     uint64
	titles   int
	docs     map[string]*document   // entries that were published at some time and not deleted
	then     []map[string]*document // what was live at each release
	touched  []map[string]bool      // what each release said something of
	born     []string               // all entries that were ever published, in order
	home     map[string]string      // their collections
	places   map[string][]string    // the arrangement of each collection
	keys     []mintedKey
	last     time.Time // when the newest release was published
}

func (p *play) note(format string, args ...any) {
	p.script = append(p.script, fmt.Sprintf(format, args...))
}

// begin puts the project into the model, with its first collections.
func (p *play) begin() error {
	p.settings = readtest.Settings{From: 1, Project: read.Project{
		ID: content.ProjectID(p.project.ID), Organization: content.OrganizationID(string(p.project.Organization)), Slug: p.project.Slug,
		PublicAPIEnabled: true, CursorKey: []byte("the model's cursors are its own"),
	}}
	p.forms = []*form{
		{name: "posts", label: "Posts", slugs: true}, {name: "memos", label: "Memos", slugs: true, private: true},
		{name: "home", label: "Home", singleton: true},
	}
	for _, f := range p.forms {
		f.extra = []string{"extra0", "extra1"}
	}
	return errors.Join(
		p.model.PutSettings(p.ctx, p.settings), p.model.Settle(p.ctx, time.Now().Add(time.Hour)), p.push(p.forms...))
}

// deed is what a player may do, and how likely that is.
type deed struct {
	weight int
	name   string
	do     func() error
}

func acts(p *play) []deed {
	return []deed{
		{24, "publish", p.publish}, {1, "bulk", p.bulk}, {6, "cycle", p.cycle}, {3, "abandon", p.abandon}, {6, "revert", p.revert},
		{5, "order", p.order}, {5, "move", p.move}, {5, "set", p.set}, {16, "deploy", p.deploy},
		{3, "pin", p.pin}, {3, "unpin", p.unpin}, {3, "mint", p.mint}, {3, "revoke", p.revoke},
		{6, "crash", p.crash}, {1, "restart", p.restart}, {3, "rebuild", p.rebuild}, {4, "leave", p.leave}, {4, "back", p.back},
		{6, "check", p.check},
	}
}

// act does one thing by chance.
func (p *play) act() error {
	all := 0
	for _, a := range acts(p) {
		all += a.weight
	}
	drawn := p.random.IntN(all)
	for _, a := range acts(p) {
		if drawn -= a.weight; drawn < 0 {
			p.note("%s", a.name)
			p.tally.count(a.name)
			if err := a.do(); err != nil {
				return fmt.Errorf("%s: %w", a.name, err)
			}
			return nil
		}
	}
	panic("unreachable")
}

func (p *play) form(name string) *form {
	return p.forms[slices.IndexFunc(p.forms, func(f *form) bool { return f.name == name })]
}

func pick[T any](p *play, from []T) T { return from[p.random.IntN(len(from))] }

// deployed are the collections that were not removed.
func (p *play) deployed() []*form {
	return slices.DeleteFunc(slices.Clone(p.forms), func(f *form) bool { return f.gone })
}

// known are the entries that a condition holds for, oldest first; of collections that were removed no one knows any.
func (p *play) known(is func(*document) bool) (out []*document) {
	for _, id := range p.born {
		if doc := p.docs[id]; doc != nil && !p.form(doc.collection).gone && is(doc) {
			out = append(out, doc)
		}
	}
	return out
}
