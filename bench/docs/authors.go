package docs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"svc/core/client"
	"svc/core/wire"
	"svc/shared/fault"
)

// Authors makes the next edits of a history with several authors at work: each of them stages one edit in a change set of its own,
// all at the same time, on what was published before any of these edits. Then they publish in the order of the history. Who is stale
// rebases and takes the own side in conflicts, so that after each release what was edited reads as in the source; otherwise Next fails.
type Authors struct {
	*Replay
	Count int

	// Rebased counts the items that were behind, Conflicts the values that both sides had changed.
	Rebased, Conflicts int
}

// authored is an edit as its author makes it: the fields of each page, on what all authors began with; nil for a page that goes.
type authored struct {
	Edit
	pages map[string]*fields
	want  Site // the source after the edit
	set   string
	made  map[string]string // ids of new entries by path
}

// Next publishes the next edits, each as a release of its own, and returns their change sets; none when no edit is left.
func (a *Authors) Next(ctx context.Context) ([]string, error) {
	now := a.together()
	group, staging := errgroup.WithContext(ctx)
	for _, e := range now {
		group.Go(func() error { return a.draft(staging, e) })
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("stage the edits after release %d: %w", a.release, err)
	}
	var sets []string
	for _, e := range now {
		if err := a.publishDraft(ctx, e); err != nil {
			return nil, fmt.Errorf("release %d: %w", a.release+1, err)
		}
		maps.Copy(a.entries, e.made)
		if err := a.published(ctx, e); err != nil {
			return nil, fmt.Errorf("release %d: %w", a.release, err)
		}
		sets = append(sets, e.set)
	}
	a.edits = a.edits[len(now):]
	return sets, nil
}

// together takes as many edits as there are authors, and fewer where the next one needs what the others are about to publish: a page
// that they make or delete, or a value that they change and this edit changes back, which is no edit of what all begin with.
func (a *Authors) together() (now []*authored) {
	base := a.site
	a.site = base.Clone()
	for _, edit := range a.edits[:min(a.Count, len(a.edits))] {
		next := a.site.Clone()
		next.Apply(edit)
		e := &authored{Edit: edit, want: next, pages: map[string]*fields{}, made: map[string]string{}}
		for _, c := range edit.Changes {
			var possible bool
			if e.pages[c.Path], possible = authoredPage(base[c.Path], a.site[c.Path], next[c.Path]); !possible {
				return now
			}
		}
		now, a.site = append(now, e), next
	}
	return now
}

// place is that of a value in a page.
type place struct{ locale, field string }

func valuesOf(p Page) map[place]any {
	values := map[place]any{}
	for locale, t := range p {
		values[place{locale, "title"}], values[place{locale, "description"}], values[place{locale, "type"}] = t.Title, t.Description, t.Type
		values[place{locale, "i18nReady"}], values[place{locale, "body"}] = t.I18nReady, t.Body
	}
	return values
}

// authoredPage makes the edit that leads from before to after on the base. It is not possible where the page comes or goes in between,
// or where a value becomes what it is in the base although it was another one in between.
func authoredPage(base, before, after Page) (out *fields, possible bool) {
	if (base == nil) != (before == nil) {
		return nil, false
	}
	if after == nil {
		return nil, true
	}
	was, between, is := valuesOf(base), valuesOf(before), valuesOf(after)
	mine := maps.Clone(was)
	changed := maps.Clone(between)
	maps.Copy(changed, is)
	for at := range changed {
		if between[at] == is[at] {
			continue
		}
		if is[at] == was[at] {
			return nil, false
		}
		if mine[at] = is[at]; is[at] == nil {
			delete(mine, at)
		}
	}
	return fieldsAt(mine), true
}

func fieldsAt(values map[place]any) *fields {
	f := fieldsOf(nil)
	for at, v := range values {
		switch at.field {
		case "title":
			f.Title[at.locale] = v.(string)
		case "description":
			f.Description[at.locale] = v.(string)
		case "type":
			f.Type[at.locale] = v.(string)
		case "i18nReady":
			f.I18nReady[at.locale] = v.(bool)
		case "body":
			f.Body[at.locale] = v.(string)
		}
	}
	return &f
}

// draft stages an edit.
func (a *Authors) draft(ctx context.Context, e *authored) error {
	set, err := a.Client.CreateChangeSet(ctx, a.Project, "Edit", e.Time)
	if err != nil {
		return err
	}
	e.set = string(set.ID)
	for _, path := range slices.Sorted(maps.Keys(e.pages)) {
		if e.made[path], err = a.put(ctx, e.set, path, e.pages[path]); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// put stages what becomes of a page, and returns the id of its entry; a page that goes has none afterwards.
func (a *Authors) put(ctx context.Context, set, path string, page *fields) (string, error) {
	id := a.entries[path]
	switch {
	case page == nil:
		_, err := a.Client.DeleteEntry(ctx, a.Project, id, set)
		return "", err
	case id == "":
		slug := Slug(path)
		made, err := a.Client.CreateEntry(ctx, a.Project, Collection, client.NewEntry{Data: page, Slug: &slug, ChangeSetID: set})
		return string(made.Entry.ID), err
	}
	_, err := a.Client.PatchEntry(ctx, a.Project, id, client.Patch{Data: page, ChangeSetID: set})
	return id, err
}

// publishDraft publishes an edit, and rebases it before where someone else was first.
func (a *Authors) publishDraft(ctx context.Context, e *authored) error {
	err := a.publish(ctx, e.set)
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != fault.PublishValidationFailed {
		return err
	}
	for _, i := range refused.Errors {
		if i.Code != string(fault.StaleRevision) {
			return err
		}
	}
	out, err := a.Client.Rebase(ctx, a.Project, e.set, wire.Rebase{OnConflict: wire.Some("take-mine")})
	if err != nil {
		return err
	}
	a.Rebased += len(out.Items) + len(out.Stale)
	for _, i := range out.Items {
		a.Conflicts += len(i.Conflicts)
	}
	for _, id := range out.Stale { // a deletion has nothing to rebase
		if _, err := a.Client.DeleteEntry(ctx, a.Project, string(id), e.set); err != nil {
			return err
		}
	}
	return a.publish(ctx, e.set)
}

// published compares the pages of an edit with the source, once it is published.
func (a *Authors) published(ctx context.Context, e *authored) error {
	for path, page := range e.pages {
		if page == nil {
			continue
		}
		now, err := a.Client.Entry(ctx, a.Project, a.entries[path])
		if err == nil {
			err = compare(now.Published.Fields, Slug(path), e.want[path])
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}
