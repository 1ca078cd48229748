package inprocess

import (
	"fmt"
	"slices"
	"strings"
)

// fill gives a document content by chance.
func (p *play) fill(doc *document) {
	p.titles++
	doc.fields = map[string]string{fieldTitle: fmt.Sprintf(`"Title %d"`, p.titles)}
	if p.random.IntN(3) > 0 {
		doc.fields[fieldNumber] = pick(p, []string{"0", "-1.50", "12345678901234567890", "0.1", "7e3"})
	}
	if p.random.IntN(3) > 0 {
		doc.fields[fieldBody] = fmt.Sprintf(`"# %d <b>&amp;</b>\n\nnaïve 漢字"`, p.titles)
	}
	if p.random.IntN(3) > 0 {
		doc.fields[fieldNote] = p.localized()
	}
	for _, key := range append([]string{fieldHint}, p.form(doc.collection).extra...) {
		if p.random.IntN(2) == 0 {
			doc.fields[key] = fmt.Sprintf("%q", fmt.Sprint("more ", p.titles))
		}
	}
}

// localized is a value in some of the locales, those in order; the default one is among them or not.
func (p *play) localized() string {
	if len(p.settings.Locales) == 0 {
		return fmt.Sprintf(`"note %d"`, p.titles)
	}
	var members []string
	for _, locale := range slices.Sorted(slices.Values(p.settings.Locales)) {
		if len(members) == 0 || p.random.IntN(2) == 0 {
			members = append(members, fmt.Sprintf(`%q:"%s %d"`, locale, locale, p.titles))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// publish puts some new and some changed entries out, takes some away, and brings some back.
func (p *play) publish() error {
	d, err := p.draft()
	if err != nil {
		return err
	}
	for range 1 + p.random.IntN(4) {
		if err := d.anything(); err != nil {
			return err
		}
	}
	return d.release()
}

// bulk publishes an entry that is too large for a message of the stream.
func (p *play) bulk() error {
	if f := p.form("posts"); f.gone || f.singleton {
		return p.publish()
	}
	d, err := p.draft()
	if err != nil {
		return err
	}
	doc := &document{collection: "posts"}
	p.fill(doc)
	text := make([]byte, 800<<10)
	for i := range text {
		text[i] = byte('0' + p.random.IntN('z'-'0'))
		if text[i] == '\\' {
			text[i] = ' '
		}
	}
	doc.fields[fieldBody] = `"` + string(text) + `"`
	if err := d.write(doc); err != nil {
		return err
	}
	return d.release()
}

// anything stages one change by chance.
func (d *draft) anything() error {
	f := pick(d.play, d.deployed())
	some := d.known(func(doc *document) bool { return doc.collection == f.name && d.staged[doc.id] == nil })
	chance := d.random.IntN(10)
	if len(some) == 0 || chance < 3 && !f.singleton {
		if f.singleton && slices.ContainsFunc(d.order, func(id string) bool { return d.staged[id].collection == f.name }) {
			return nil // one is all there may be
		}
		doc := &document{collection: f.name}
		d.fill(doc)
		if f.slugs && d.random.IntN(3) == 0 {
			doc.slug = d.freeSlug(f.name)
		}
		return d.write(doc)
	}
	doc := pick(d.play, some).clone()
	if chance > 7 && doc.live {
		return d.away(doc, !f.singleton && d.random.IntN(2) == 0)
	}
	return d.edit(doc)
}

// edit stages other content of an entry, under its slug where that is free, or under another.
func (d *draft) edit(doc *document) error {
	d.fill(doc)
	if doc.slug != "" && d.random.IntN(4) == 0 {
		doc.slug = d.freeSlug(doc.collection)
	}
	d.settle(doc)
	return d.write(doc)
}

// cycle passes the slugs of some live entries on in a ring.
func (p *play) cycle() error {
	live := p.known(func(doc *document) bool { return doc.live && doc.collection == "posts" })
	if len(live) < 2 || !p.form("posts").slugs || slices.ContainsFunc(live, func(doc *document) bool { return doc.slug == "" }) {
		return p.publish()
	}
	p.random.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
	live = live[:2+p.random.IntN(len(live)-1)]
	d, err := p.draft()
	if err != nil {
		return err
	}
	aside := live[0].clone()
	aside.slug = d.freeSlug("posts") + "-aside"
	if err := d.write(aside); err != nil {
		return err
	}
	for i := len(live) - 1; i >= 0; i-- {
		doc := live[i].clone()
		doc.slug = live[(i+1)%len(live)].slug
		if err := d.write(doc); err != nil {
			return err
		}
	}
	return d.release()
}

// abandon stages changes that no one ever publishes.
func (p *play) abandon() error {
	d, err := p.draft()
	if err != nil {
		return err
	}
	some := p.known(func(doc *document) bool { return doc.live })
	if len(some) > 0 {
		if err := d.edit(pick(p, some).clone()); err != nil {
			return err
		}
	}
	return d.close()
}

// revert publishes what was before a release as new data, as far as it can be had again.
func (p *play) revert() error {
	if p.head == 0 {
		return p.publish()
	}
	release := 1 + p.random.IntN(int(p.head))
	p.note("  of release %d", release)
	d, err := p.draft()
	if err != nil {
		return err
	}
	before := p.then[release-1]
	for _, id := range p.born {
		now, was := p.docs[id], before[id]
		switch {
		case !p.touched[release][id] || now == nil || p.form(now.collection).gone: // now is nil where it was deleted
		case was == nil && now.live:
			err = d.away(now, false)
		case was != nil:
			again := was.clone()
			for _, key := range []string{fieldNote, fieldHint} { // its value is of other locales than there are now
				if again.fields[key] = now.fields[key]; again.fields[key] == "" {
					delete(again.fields, key)
				}
			}
			if again.slug == "" {
				again.slug = now.slug
			}
			d.settle(again)
			err = d.write(again)
		}
		if err != nil {
			return err
		}
	}
	return d.release()
}
