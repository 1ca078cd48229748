package inprocess

import (
	"fmt"
	"maps"
	"strings"

	"svc/core/client"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/read/readtest"
)

// draft is a change set on its way.
type draft struct {
	*play
	id     string
	staged map[string]*document
	order  []string // of first staging
}

func (d *draft) stage(doc *document) {
	if d.staged[doc.id] == nil {
		d.order = append(d.order, doc.id)
	}
	d.staged[doc.id] = doc
}

func (p *play) draft() (*draft, error) {
	d := &draft{play: p, staged: map[string]*document{}}
	return d, p.do(p.ctx, func(c *client.Client) error {
		set, err := c.CreateChangeSet(p.ctx, p.project.Slug, "Change", "")
		d.id = string(set.ID)
		return err
	})
}

// holder is who has a slug once the set is published; empty where no one does.
func (d *draft) holder(collection, slug string) string {
	for id, doc := range d.docs {
		if now := d.staged[id]; now != nil {
			doc = now
		}
		if doc.live && doc.collection == collection && doc.slug == slug {
			return id
		}
	}
	for id, doc := range d.staged {
		if doc.live && doc.collection == collection && doc.slug == slug {
			return id
		}
	}
	return ""
}

// write stages content; a document without an id is a new entry. The slug is the one that it has to have, empty for one
// that is derived.
func (d *draft) write(doc *document) error {
	f := d.form(doc.collection)
	doc.prune(f)
	d.localize(doc)
	slug := d.slugFor(f, doc)
	return d.do(d.ctx, func(c *client.Client) error {
		var made wire.Written
		var err error
		if doc.id == "" {
			entry := client.NewEntry{Data: doc.data(f), Slug: slug, ChangeSetID: d.id}
			made, err = c.CreateEntry(d.ctx, d.project.Slug, doc.collection, entry)
		} else {
			patch := client.Patch{Data: doc.data(f), Slug: slug, ChangeSetID: d.id}
			made, err = c.PatchEntry(d.ctx, d.project.Slug, doc.id, patch)
		}
		if err != nil {
			return err
		}
		doc.id, doc.revision, doc.live = string(made.Entry.ID), string(made.Revision.ID), true
		d.stage(doc)
		d.note("  %s is %s with slug %q", doc.id, made.Revision.ID, doc.slug)
		return nil
	})
}

// slugFor settles the slug of a document and returns what a write says of it.
func (d *draft) slugFor(f *form, doc *document) *string {
	if !f.slugs {
		doc.slug = ""
		return nil
	}
	if doc.slug != "" {
		return &doc.slug
	}
	doc.slug = strings.ReplaceAll(strings.ToLower(strings.Trim(doc.fields[fieldTitle], `"`)), " ", "-")
	if holder := d.holder(doc.collection, doc.slug); holder == "" || holder == doc.id {
		return nil
	}
	doc.slug = d.freeSlug(doc.collection)
	return &doc.slug
}

// localize makes a plain value, from before the project had locales, that of the default locale, as a write has to say it.
func (d *draft) localize(doc *document) {
	for key, value := range doc.fields {
		if d.form(doc.collection).localized(key) && strings.HasPrefix(value, `"`) && len(d.settings.Locales) > 0 {
			doc.fields[key] = fmt.Sprintf("{%q:%s}", d.settings.DefaultLocale, value)
		}
	}
}

// away stages that a live entry goes.
func (d *draft) away(doc *document, deleted bool) error {
	d.note("  %s goes, deleted: %v", doc.id, deleted)
	gone := doc.clone()
	gone.live, gone.revision = false, ""
	d.stage(gone)
	return d.do(d.ctx, func(c *client.Client) error {
		if deleted {
			gone.collection = "" // no one writes to it again
			_, err := c.DeleteEntry(d.ctx, d.project.Slug, doc.id, d.id)
			return err
		}
		_, err := c.UnpublishEntry(d.ctx, d.project.Slug, doc.id, d.id)
		return err
	})
}

// release publishes the set.
func (d *draft) release() error {
	if len(d.staged) == 0 {
		return d.close()
	}
	var out wire.Release
	err := d.do(d.ctx, func(c *client.Client) error {
		_, err := c.Publish(d.ctx, d.project.Slug, d.id)
		return err
	})
	if err != nil {
		return err
	}
	err = d.do(d.ctx, func(c *client.Client) (err error) {
		out, err = c.Release(d.ctx, d.project.Slug, d.head+1)
		return err
	})
	if err != nil {
		return err
	}
	return d.published(out)
}

// published tells the model.
func (d *draft) published(out wire.Release) error {
	d.head++
	at := out.PublishedAt.Time
	if out.ItemCount != len(d.staged) || !at.After(d.last) || at.Nanosecond()%1e6 != 0 {
		return fmt.Errorf("release %d is %+v, of %d items, after %v", d.head, out, len(d.staged), d.last)
	}
	d.last = at
	r := readtest.Release{Release: content.Release{Number: d.head, PublishedAt: at}}
	now, said := maps.Clone(d.then[len(d.then)-1]), map[string]bool{}
	for _, id := range d.order {
		doc := d.staged[id]
		said[id] = true
		if d.home[id] == "" {
			d.born, d.home[id] = append(d.born, id), doc.collection
		}
		it := readtest.Item{Entry: content.EntryID(id), Collection: doc.collection, Deleted: doc.collection == ""}
		if it.Deleted {
			it.Collection = d.home[id]
		}
		if d.docs[id] = doc; doc.live {
			f := d.form(doc.collection)
			v, err := f.version()
			if err != nil {
				return err
			}
			it.Slug, it.Revision, it.SchemaVersion, it.Fields = doc.slug, content.RevisionID(doc.revision), v.Version, doc.stored(f)
			now[id] = doc
		} else {
			delete(now, id)
		}
		if it.Deleted {
			delete(d.docs, id)
		}
		r.Items = append(r.Items, it)
	}
	d.then, d.touched = append(d.then, now), append(d.touched, said)
	return d.model.Publish(d.ctx, d.settings.ID, r)
}

func (d *draft) close() error {
	return d.do(d.ctx, func(c *client.Client) error {
		_, err := c.Close(d.ctx, d.project.Slug, d.id)
		return err
	})
}

// settle gives an entry whose slug somebody else has by now another.
func (d *draft) settle(doc *document) {
	if doc.slug == "" {
		return
	}
	if holder := d.holder(doc.collection, doc.slug); holder != "" && holder != doc.id {
		doc.slug = d.freeSlug(doc.collection)
	}
}

// freeSlug is one of a few slugs, so that they meet again, or a new one where that is taken.
func (d *draft) freeSlug(collection string) string {
	slug := fmt.Sprintf("slug-%d", d.random.IntN(8))
	for d.holder(collection, slug) != "" {
		slug += "-x"
	}
	return slug
}
