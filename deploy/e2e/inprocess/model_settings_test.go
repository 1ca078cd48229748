package inprocess

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"svc/bench/node"
	"svc/core/client"
	"svc/shared/content"
	"svc/shared/read/readtest"
)

// order arranges some entries of a collection.
func (p *play) order() error {
	f := pick(p, p.deployed())
	var ids []string
	for _, doc := range p.known(func(doc *document) bool { return doc.collection == f.name }) {
		if p.random.IntN(2) == 0 {
			ids = append(ids, doc.id)
		}
	}
	p.random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	if len(ids) == 0 {
		ids = []string{} // of which the arrangement consists then
	}
	err := p.do(p.ctx, func(c *client.Client) error { return c.Reorder(p.ctx, p.project.Slug, f.name, ids) })
	if err != nil {
		return err
	}
	return p.arranged(f.name, ids)
}

// move puts one entry beside one that is arranged.
func (p *play) move() error {
	f := pick(p, p.deployed())
	anchors := slices.DeleteFunc(slices.Clone(p.places[f.name]), func(id string) bool { return p.docs[id] == nil })
	some := p.known(func(doc *document) bool { return doc.collection == f.name })
	if len(anchors) == 0 || len(some) < 2 {
		return p.order()
	}
	anchor, mover := pick(p, anchors), pick(p, some).id
	if anchor == mover {
		return nil
	}
	side := pick(p, []string{"before", "after"})
	body := fmt.Sprintf(`{"move":{"entry":%q,%q:%q}}`, mover, side, anchor)
	err := p.at(p.ctx, func(at *stagedCore) error { return p.post(at, "/collections/"+f.name+"/reorder", body) })
	if err != nil {
		return err
	}
	places := slices.DeleteFunc(slices.Clone(p.places[f.name]), func(id string) bool { return id == mover })
	at := slices.Index(places, anchor)
	if side == "after" {
		at++
	}
	return p.arranged(f.name, slices.Insert(places, at, mover))
}

func (p *play) post(at *stagedCore, path, body string) error {
	n := node.Node{Name: "core", URL: at.url(), Token: p.token}
	answer, err := n.Send(p.ctx, http.MethodPost, "/v1/projects/"+p.project.Slug+path, strings.NewReader(body), node.Header{Name: "Content-Type", Value: "application/json"})
	if err == nil && answer.Status != http.StatusOK {
		err = fmt.Errorf("%s: %d %.300s", path, answer.Status, answer.Body)
	}
	return err
}

// arranged tells the model. Its ranks are not core's, only their order is.
func (p *play) arranged(collection string, ids []string) error {
	r := readtest.Ranks{Collection: collection, Entries: map[content.EntryID]string{}}
	for _, id := range p.places[collection] {
		r.Entries[content.EntryID(id)] = ""
	}
	for i, id := range ids {
		r.Entries[content.EntryID(id)] = fmt.Sprintf("%06d", i+1)
	}
	p.places[collection] = ids
	return p.model.Arrange(p.ctx, p.settings.ID, r)
}

// set changes a setting. Locales only come, since content keeps those that it uses.
func (p *play) set() error {
	change := map[string]any{}
	switch p.random.IntN(4) {
	case 0:
		p.settings.PublicAPIEnabled = !p.settings.PublicAPIEnabled
		change["publicApiEnabled"] = p.settings.PublicAPIEnabled
	case 1:
		p.settings.AllowedOrigins = pick(p, [][]string{{}, {"https://a.example"}, {"https://b.example", "https://a.example"}})
		change["allowedOrigins"] = p.settings.AllowedOrigins
	default:
		all := []string{"en", "de", "pt-BR"}
		p.settings.Locales = all[:min(len(all), len(p.settings.Locales)+p.random.IntN(2))]
		if len(p.settings.Locales) == 0 {
			p.settings.Locales = all[:1]
		}
		if p.settings.DefaultLocale == "" || !p.plain() {
			p.settings.DefaultLocale = pick(p, p.settings.Locales)
		}
		change["locales"], change["defaultLocale"] = p.settings.Locales, p.settings.DefaultLocale
	}
	p.note("  %v", change)
	p.settings.From = p.head + 1
	err := p.do(p.ctx, func(c *client.Client) error {
		_, err := c.UpdateProject(p.ctx, p.project.Slug, change)
		return err
	})
	return errors.Join(err, p.model.PutSettings(p.ctx, p.settings))
}

// plain reports whether an entry, of a collection that is away too, holds a plain value of the default locale, which stays
// with that one.
func (p *play) plain() bool {
	for _, doc := range p.docs {
		if doc == nil {
			continue
		}
		for key, value := range doc.fields {
			if p.form(doc.collection).localized(key) && strings.HasPrefix(value, `"`) {
				return true
			}
		}
	}
	return false
}

// pin has everybody read a release.
func (p *play) pin() error {
	if p.head == 0 {
		return p.publish()
	}
	p.settings.Pinned = 1 + p.random.Uint64N(p.head)
	p.note("  to release %d", p.settings.Pinned)
	return p.setPin(func(c *client.Client) error {
		_, _, err := c.PinRelease(p.ctx, p.project.Slug, p.settings.Pinned, "The model says so", 0)
		return err
	})
}

// unpin has everybody read the newest release again.
func (p *play) unpin() error {
	p.settings.Pinned = 0
	return p.setPin(func(c *client.Client) error {
		_, err := c.Unpin(p.ctx, p.project.Slug, 0)
		return err
	})
}

func (p *play) setPin(call func(c *client.Client) error) error {
	p.settings.From = p.head + 1
	return errors.Join(p.do(p.ctx, call), p.model.PutSettings(p.ctx, p.settings))
}
