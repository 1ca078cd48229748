package demo

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

// checkReleases plays the releases through and reports what a deployment would refuse, or what would leave a
// reader with a reference into nothing.
func (c *Content) checkReleases() error {
	p := &play{content: c, fields: map[Key]map[string]jsontext.Value{}, slugs: map[Key]string{}, created: map[Key]bool{}}
	for i, r := range c.Releases {
		p.where = fmt.Sprintf("release %d (%s)", i+1, r.Title)
		p.release(r)
	}
	for _, key := range c.keys() {
		if !p.created[key] {
			p.faults = append(p.faults, fmt.Errorf("%s: no release creates it", key))
		}
	}
	if len(c.Releases) == 0 {
		p.faults = append(p.faults, errors.New("there are no releases"))
	}
	return errors.Join(p.faults...)
}

// play is what readers would see after each release.
type play struct {
	content *Content
	fields  map[Key]map[string]jsontext.Value // of live entries
	slugs   map[Key]string                    // of live entries
	created map[Key]bool                      // ever
	where   string
	faults  []error
}

func (p *play) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Errorf("%s: %w", p.where, fmt.Errorf(format, args...)))
}

func (p *play) release(r Release) {
	if r.Title == "" {
		p.fault("has no title")
	}
	if len(r.Create)+len(r.Update)+len(r.Unpublish) == 0 {
		p.fault("changes nothing")
	}
	for _, key := range r.Create {
		p.create(key)
	}
	for _, u := range r.Update {
		p.update(u)
	}
	for _, key := range r.Unpublish {
		if p.fields[key] == nil {
			p.fault("%s cannot be unpublished: it is not live", key)
		}
		delete(p.fields, key)
		delete(p.slugs, key)
	}
	p.settle()
}

func (p *play) create(key Key) {
	fields, ok := p.content.Entries[key]
	switch {
	case !ok:
		p.fault("creates %s, which does not exist", key)
		return
	case p.created[key]:
		p.fault("creates %s a second time", key)
		return
	}
	p.needLive(key, fields)
	p.created[key] = true
	p.fields[key] = map[string]jsontext.Value{}
	p.lay(key, fields)
	p.slugs[key] = key.Slug()
}

func (p *play) update(u Update) {
	if p.fields[u.Entry] == nil {
		p.fault("updates %s, which is not live", u.Entry)
		return
	}
	p.needLive(u.Entry, u.Data)
	p.lay(u.Entry, u.Data)
	fields, err := json.Marshal(p.fields[u.Entry], json.Deterministic(true))
	if err != nil {
		p.fault("%s: %w", u.Entry, err)
		return
	}
	for _, err := range p.content.checkFields(u.Entry, fields) {
		p.fault("update of %s: %w", u.Entry, err)
	}
	if u.Slug == "" {
		return
	}
	if s := p.content.Collection(u.Entry.Collection()); s == nil || !s.HasSlug() || !schema.IsSlug(u.Slug) {
		p.fault("update of %s: %q cannot be its slug", u.Entry, u.Slug)
	}
	p.slugs[u.Entry] = u.Slug
}

// lay replaces the named fields, and clears those that are null.
func (p *play) lay(key Key, fields jsontext.Value) {
	members, err := value.Members(fields)
	if err != nil {
		p.fault("%s: %w", key, err)
	}
	for _, m := range members {
		if m.Value.Kind() == 'n' {
			delete(p.fields[key], m.Name)
		} else {
			p.fields[key][m.Name] = m.Value
		}
	}
}

// needLive wants everything that fields refer to to be there already: its id is known only after its creation.
func (p *play) needLive(key Key, fields jsontext.Value) {
	targets, err := references(fields)
	if err != nil {
		p.fault("%s: %w", key, err)
	}
	for _, target := range targets {
		if p.fields[target] == nil {
			p.fault("%s refers to %s, which is not live by then", key, target)
		}
	}
}

// settle checks the state a release leaves behind.
func (p *play) settle() {
	taken := map[string]Key{}
	for _, key := range slices.Sorted(maps.Keys(p.fields)) {
		for _, name := range slices.Sorted(maps.Keys(p.fields[key])) {
			targets, err := references(p.fields[key][name])
			if err != nil {
				p.fault("%s: %w", key, err)
			}
			for _, target := range targets {
				if p.fields[target] == nil {
					p.fault("%s is left with a reference to %s in %q, which is not live any more", key, target, name)
				}
			}
		}
		address := key.Collection() + "/" + p.slugs[key]
		if other, ok := taken[address]; ok {
			p.fault("%s and %s both have the address %s", other, key, address)
		}
		taken[address] = key
	}
}
