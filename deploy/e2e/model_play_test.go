package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
	"svc/core/client"
	"svc/shared/content"
	"svc/shared/credential"
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
	times    []time.Time // of releases
}

type mintedKey struct {
	id    string
	text  string
	grant credential.Grant
}

func (p *play) note(format string, args ...any) {
	p.script = append(p.script, fmt.Sprintf(format, args...))
}

// begin puts the project into the model, with its first collections.
func (p *play) begin() error {
	p.settings = readtest.Settings{From: 1, Project: read.Project{
		ID: content.ProjectID(p.project.ID), Organization: content.OrganizationID(p.project.OrganizationID), Slug: p.project.Slug,
		PublicAPIEnabled: true, CursorKey: []byte("the model's cursors are its own"),
	}}
	p.forms = []*form{
		{name: "posts", label: "Posts", slugs: true}, {name: "memos", label: "Memos", slugs: true, private: true},
		{name: "home", label: "Home", singleton: true},
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
		{24, "publish", p.publish}, {6, "cycle", p.cycle}, {3, "abandon", p.abandon}, {6, "revert", p.revert},
		{5, "order", p.order}, {5, "move", p.move}, {5, "set", p.set}, {5, "deploy", p.deploy},
		{3, "mint", p.mint}, {3, "revoke", p.revoke},
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
		d.id = set.ID
		return err
	})
}

// holder is who has a slug once the set is published; empty where nobody does.
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
	var slug *string
	if f.slugs {
		if doc.slug == "" {
			doc.slug = strings.ReplaceAll(strings.ToLower(strings.Trim(doc.fields[fieldTitle], `"`)), " ", "-")
		} else {
			slug = &doc.slug
		}
	}
	return d.do(d.ctx, func(c *client.Client) error {
		var made client.Written
		var err error
		if doc.id == "" {
			made, err = c.CreateEntry(d.ctx, d.project.Slug, doc.collection, client.NewEntry{Data: doc.data(f), Slug: slug, ChangeSetID: d.id})
		} else {
			made, err = c.PatchEntry(d.ctx, d.project.Slug, doc.id, client.Patch{Data: doc.data(f), Slug: slug, ChangeSetID: d.id})
		}
		if err != nil {
			return err
		}
		doc.id, doc.revision, doc.live = made.Entry.ID, made.Revision.ID, true
		d.localize(doc)
		d.stage(doc)
		d.note("  %s is %s with slug %q", doc.id, made.Revision.ID, doc.slug)
		return nil
	})
}

// localize makes a plain value, written since the project has locales, that of the default locale, as it is stored.
func (d *draft) localize(doc *document) {
	if value := doc.fields[fieldNote]; strings.HasPrefix(value, `"`) && len(d.settings.Locales) > 0 {
		doc.fields[fieldNote] = fmt.Sprintf("{%q:%s}", d.settings.DefaultLocale, value)
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
			gone.collection = "" // nobody writes to it again
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
	var out client.Release
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
func (d *draft) published(out client.Release) error {
	d.head++
	if n := len(d.times); out.ItemCount != len(d.staged) || n > 0 && !out.PublishedAt.After(d.times[n-1]) || out.PublishedAt.Nanosecond()%1e6 != 0 {
		return fmt.Errorf("release %d is %+v, of %d items, after %v", d.head, out, len(d.staged), d.times)
	}
	d.times = append(d.times, out.PublishedAt)
	r := readtest.Release{Release: content.Release{Number: d.head, PublishedAt: out.PublishedAt}}
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

func (p *play) form(name string) *form {
	return p.forms[slices.IndexFunc(p.forms, func(f *form) bool { return f.name == name })]
}

func pick[T any](p *play, from []T) T { return from[p.random.IntN(len(from))] }

// known are the entries that a condition holds for, oldest first.
func (p *play) known(is func(*document) bool) (out []*document) {
	for _, id := range p.born {
		if doc := p.docs[id]; doc != nil && is(doc) {
			out = append(out, doc)
		}
	}
	return out
}

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
	for _, key := range p.form(doc.collection).keys()[4:] {
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

// anything stages one change by chance.
func (d *draft) anything() error {
	f := pick(d.play, d.forms)
	some := d.known(func(doc *document) bool { return doc.collection == f.name && d.staged[doc.id] == nil })
	chance := d.random.IntN(10)
	if len(some) == 0 || chance < 3 && !f.singleton {
		if f.singleton && slices.ContainsFunc(slices.Collect(maps.Values(d.staged)), func(doc *document) bool { return doc.collection == f.name }) {
			return nil
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

// cycle passes the slugs of some live entries on in a ring.
func (p *play) cycle() error {
	live := p.known(func(doc *document) bool { return doc.live && doc.collection == "posts" })
	if len(live) < 2 {
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

// abandon stages changes that nobody ever publishes.
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
		case !p.touched[release][id] || now == nil: // or it was deleted
		case was == nil && now.live:
			err = d.away(now, false)
		case was != nil:
			again := was.clone()
			again.fields[fieldNote] = now.fields[fieldNote]
			if again.fields[fieldNote] == "" { // a value of other locales than there are now
				delete(again.fields, fieldNote)
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

// order arranges some entries of a collection.
func (p *play) order() error {
	f := pick(p, p.forms)
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
	f := pick(p, p.forms)
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
	answer, err := n.Send(p.ctx, http.MethodPost, "/v1/projects/"+p.project.Slug+path, strings.NewReader(body),
		node.Header{Name: "Content-Type", Value: "application/json"})
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
		p.settings.DefaultLocale = pick(p, p.settings.Locales)
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

// deploy changes a collection, or adds one.
func (p *play) deploy() error {
	f := pick(p, p.forms)
	switch p.random.IntN(4) {
	case 0:
		f.label = fmt.Sprintf("Label %d", p.pushes)
	case 1:
		f.private = !f.private
	case 2:
		f.extra++
	default:
		if len(p.forms) == 3 {
			f = &form{name: "bare", label: "Bare"}
			p.forms = append(p.forms, f)
		}
	}
	p.note("  %s", f.canonical())
	return p.push(f)
}

// push deploys all collections, of which some may have changed.
func (p *play) push(changed ...*form) error {
	p.pushes++
	var set []jsontext.Value
	for _, f := range p.forms {
		set = append(set, jsontext.Value(f.canonical()))
	}
	err := p.do(p.ctx, func(c *client.Client) error {
		_, err := c.PushSchema(p.ctx, p.project.Slug, set, false, "")
		return err
	})
	if err != nil {
		return err
	}
	s := readtest.Schema{Number: p.pushes, From: p.head + 1}
	for _, f := range changed {
		v, err := f.version()
		if err != nil {
			return err
		}
		s.Collections = append(s.Collections, v)
	}
	return p.model.PutSchema(p.ctx, p.settings.ID, s)
}

// mint makes a key, of the project or of its organization, confined or not, that may read or not.
func (p *play) mint() error {
	in := client.NewKey{Label: "model", Scopes: []string{pick(p, []string{"content:read", "content:read", "content:write"})}}
	if p.random.IntN(2) == 0 {
		in.Collections = []string{pick(p, p.forms).name}
	}
	whole := p.random.IntN(2) == 0
	var made client.MintedKey
	err := p.do(p.ctx, func(c *client.Client) (err error) {
		if whole {
			made, err = c.MintOrganizationKey(p.ctx, p.project.OrganizationID, in)
			return err
		}
		made, err = c.MintProjectKey(p.ctx, p.project.Slug, in)
		return err
	})
	if err != nil {
		return err
	}
	secret, err := credential.Parse(made.Secret)
	if err != nil {
		return err
	}
	g := credential.Grant{
		Key: content.KeyID(made.Key.ID), PublicID: made.Key.PublicID, Hash: secret.Hash(), Organization: p.settings.Organization,
		Scopes: []credential.Scope{credential.Scope(in.Scopes[0])}, Collections: in.Collections,
	}
	if !whole {
		g.Project = p.settings.ID
	}
	p.keys = append(p.keys, mintedKey{made.Key.ID, made.Secret, g})
	return p.model.PutKey(p.ctx, g)
}

// revoke ends a key.
func (p *play) revoke() error {
	if len(p.keys) == 0 {
		return p.mint()
	}
	k := &p.keys[p.random.IntN(len(p.keys))]
	err := p.do(p.ctx, func(c *client.Client) error { return c.RevokeOrganizationKey(p.ctx, p.project.OrganizationID, k.id) })
	if err != nil {
		return err
	}
	k.grant.Revoked = true
	return p.model.PutKey(p.ctx, k.grant)
}

// crash loses an edge.
func (p *play) crash() error {
	e := pick(p, p.edges)
	p.note("  %s", e.name)
	return e.crash(p.random)
}

// restart has a core stop and come back, one time out of five: the other players wait meanwhile.
func (p *play) restart() error {
	if p.random.IntN(5) > 0 {
		return nil
	}
	return pick(p, p.cores).restart()
}

// rebuild has an edge load the project, or all it holds, anew.
func (p *play) rebuild() error {
	e := pick(p, p.edges)
	if err := e.back(); err != nil {
		return err
	}
	p.note("  %s", e.name)
	if err := e.level(p.ctx); err != nil { // or there may be nothing to rebuild
		return err
	}
	e.follower.Load().Rebuild(e.logs[:p.random.IntN(2)]...)
	return nil
}

func (p *play) leave() error { return pick(p, p.edges).leave() }

func (p *play) back() error { return pick(p, p.edges).back() }
