package docs

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/client"
)

// Collection is the key of the collection that takes the pages.
const Collection = "docs"

// Schema is the collection in canonical form.
func Schema() jsontext.Value {
	return jsontext.Value(`{"name":"docs","label":"Docs","kind":"collection","visibility":"public","titleField":"title",
		"path":"/{slug}","fields":{
		"title":{"type":"text","localized":true},
		"slug":{"type":"slug","from":"title"},
		"description":{"type":"text","localized":true},
		"type":{"type":"text","localized":true},
		"i18nReady":{"type":"boolean","localized":true},
		"body":{"type":"markdown","localized":true}}}`)
}

// fields is an entry's content as it is written and read: a map of locales in each field.
type fields struct {
	Title       map[string]string `json:"title"`
	Slug        string            `json:"slug,omitempty"`
	Description map[string]string `json:"description"`
	Type        map[string]string `json:"type"`
	I18nReady   map[string]bool   `json:"i18nReady"`
	Body        map[string]string `json:"body"`
}

func fieldsOf(p Page) fields {
	f := fields{
		Title: map[string]string{}, Description: map[string]string{}, Type: map[string]string{},
		I18nReady: map[string]bool{}, Body: map[string]string{},
	}
	for locale, text := range p {
		f.Title[locale], f.Description[locale], f.Type[locale] = text.Title, text.Description, text.Type
		f.I18nReady[locale], f.Body[locale] = text.I18nReady, text.Body
	}
	return f
}

// Replay is a history on its way into a project.
type Replay struct {
	Client  *client.Client
	Project string

	site    Site
	entries map[string]string // ids by path
	edits   []Edit            // those to come
	release uint64            // the newest
}

// Start sets the project's locales, pushes the schema and publishes the base as release 1.
func Start(ctx context.Context, c *client.Client, project string, h *History) (*Replay, error) {
	settings := map[string]any{"locales": h.Locales(), "defaultLocale": DefaultLocale}
	if _, err := c.UpdateProject(ctx, project, settings); err != nil {
		return nil, fmt.Errorf("set the locales: %w", err)
	}
	if _, err := c.PushSchema(ctx, project, []jsontext.Value{Schema()}, false, "The pages of the site"); err != nil {
		return nil, fmt.Errorf("push the schema: %w", err)
	}
	r := &Replay{Client: c, Project: project, site: h.Base.Clone(), entries: map[string]string{}, edits: h.Edits}
	if err := r.base(ctx); err != nil {
		return nil, fmt.Errorf("publish the base: %w", err)
	}
	return r, nil
}

// base imports every page and publishes them together.
func (r *Replay) base(ctx context.Context) error {
	var rows bytes.Buffer
	paths := slices.Sorted(maps.Keys(r.site))
	for _, path := range paths {
		row := struct {
			Slug string `json:"slug"`
			Data fields `json:"data"`
		}{Slug(path), fieldsOf(r.site[path])}
		if err := json.MarshalWrite(&rows, row); err != nil {
			return err
		}
		rows.WriteByte('\n')
	}
	made, err := r.Client.ImportLines(ctx, r.Project, Collection, &rows, client.ImportOptions{})
	if err != nil {
		return err
	}
	if made.Created != len(paths) || len(made.Entries) != len(paths) {
		return fmt.Errorf("the import made %d of %d entries", made.Created, len(r.site))
	}
	for i, path := range paths {
		r.entries[path] = string(*made.Entries[i].Entry)
	}
	return r.publish(ctx, string(*made.ChangeSet))
}

// Next publishes the next edit as a release of its own and returns the number of that; false when there is none left.
func (r *Replay) Next(ctx context.Context) (uint64, bool, error) {
	if len(r.edits) == 0 {
		return r.release, false, nil
	}
	if err := r.edit(ctx, r.edits[0]); err != nil {
		return 0, false, fmt.Errorf("release %d: %w", r.release+1, err)
	}
	r.edits = r.edits[1:]
	return r.release, true, nil
}

// edit stages what an edit does to each of its pages and publishes it.
func (r *Replay) edit(ctx context.Context, e Edit) error {
	set, err := r.Client.CreateChangeSet(ctx, r.Project, fmt.Sprintf("Edit %d", r.release), e.Time)
	if err != nil {
		return err
	}
	r.site.Apply(e)
	done := map[string]bool{}
	for _, c := range e.Changes {
		if done[c.Path] {
			continue
		}
		done[c.Path] = true
		if err := r.stage(ctx, c.Path, string(set.ID)); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	return r.publish(ctx, string(set.ID))
}

// stage writes what became of a page.
func (r *Replay) stage(ctx context.Context, path, set string) error {
	page, id := r.site[path], r.entries[path]
	switch {
	case page == nil:
		_, err := r.Client.DeleteEntry(ctx, r.Project, id, set)
		delete(r.entries, path)
		return err
	case id == "":
		slug := Slug(path)
		made, err := r.Client.CreateEntry(ctx, r.Project, Collection, client.NewEntry{Data: fieldsOf(page), Slug: &slug, ChangeSetID: set})
		r.entries[path] = string(made.Entry.ID)
		return err
	}
	_, err := r.Client.PatchEntry(ctx, r.Project, id, client.Patch{Data: fieldsOf(page), ChangeSetID: set})
	return err
}

func (r *Replay) publish(ctx context.Context, set string) error {
	out, err := r.Client.Publish(ctx, r.Project, set)
	if err != nil {
		return err
	}
	r.release++
	if n := out.ChangeSet.ReleaseNumber; n == nil || *n != r.release {
		return fmt.Errorf("the publish of release %d answered with another number", r.release)
	}
	return nil
}
