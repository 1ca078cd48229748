package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"svc/core/client"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// entryID is the id of the entry that an argument names, by its id, by COLLECTION/SLUG, or a singleton's by COLLECTION.
func (a *app) entryID(ctx context.Context, name string) (string, error) {
	if content.IsID[content.EntryID](name) {
		return name, nil
	}
	collection, slug, hasSlug := strings.Cut(name, "/")
	if looksLikeID.MatchString(name) && !collectionName.MatchString(name) {
		return "", noEntryID(name)
	}
	if !collectionName.MatchString(collection) || hasSlug && !schema.IsSlug(slug) {
		return "", usage(`"svc entries list" shows the ids and slugs`,
			"%q is neither the id of an entry (ent_…) nor COLLECTION/SLUG, nor the COLLECTION of a singleton", name)
	}
	found, err := ask(a, "looking for "+name, func() ([]wire.Entry, error) {
		if hasSlug {
			return a.withSlug(ctx, collection, slug)
		}
		return a.ofSingleton(ctx, collection)
	})
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		f := &failure{exit: ExitFailed, Code: string(fault.NotFound), Detail: fmt.Sprintf("there is no entry %q in the project", name)}
		hint := `"svc entries list --collection ` + collection + `" shows the ids and slugs; `
		if !hasSlug {
			f.Detail, hint = fmt.Sprintf("there is no singleton %q in the project, or it has no entry", name), ""
		}
		return "", f.hinted(hint + `a deleted entry is found by its id alone; "svc entries list --status deleted" shows it`)
	case len(found) > 1:
		ids := make([]string, len(found))
		for n, e := range found {
			ids[n] = string(e.ID)
		}
		return "", severalNamed(ids, "%d entries have the slug %s, published or in a draft", name)
	}
	return string(found[0].ID), nil
}

// severalNamed is the failure of a name that several entries have. The format is of how many there are, and of the name.
func severalNamed(ids []string, format, name string) error {
	return &failure{exit: ExitFailed, Code: string(fault.Conflict), Detail: fmt.Sprintf(format, len(ids), name), EntryIDs: ids, Hint: "name one by its id"}
}

func (a *app) withSlug(ctx context.Context, collection, slug string) ([]wire.Entry, error) {
	found, _, err := a.client.RecentEntries(ctx, a.project, client.EntryFilter{Collection: collection, Slug: slug}, 0)
	return found, a.knownCollection(ctx, collection, err)
}

// knownCollection is misspelt with the collections of the project; nil for none.
func (a *app) knownCollection(ctx context.Context, collection string, err error) error {
	if err == nil || a.explain(err).Code != string(fault.NotFound) {
		return err
	}
	kinds, kindsErr := a.client.CollectionKinds(ctx, a.project)
	if kindsErr != nil {
		return err
	}
	return a.misspelt(collection, kinds, err)
}

// misspelt adds to the failure of a collection that is not known the one that was probably meant.
func (a *app) misspelt(collection string, kinds map[string]schema.Kind, err error) error {
	f := a.explain(err)
	meant := schema.Nearest(collection, slices.Sorted(maps.Keys(kinds)))
	if _, known := kinds[collection]; !known && meant != "" && f.Code == string(fault.NotFound) {
		f.Hint = "did you mean " + meant + "?"
	}
	return f
}

// looksLikeID matches what begins as an id does, of whatever kind.
var looksLikeID = regexp.MustCompile(`^(ent|rev|chs|prv|ast|key|usr|prj|org)_[^/]*$`)

func noEntryID(name string) error {
	return usage(`"svc entries list" shows the ids and slugs`, "%q is no id of an entry: ent_ and 26 characters", name)
}

// ofSingleton is the entry of a singleton, if it has one. The kind of a private collection is known with schema:read alone; without
// it, a collection with one entry that has no slug is taken for a singleton.
func (a *app) ofSingleton(ctx context.Context, collection string) ([]wire.Entry, error) {
	kinds, err := a.client.CollectionKinds(ctx, a.project)
	if err != nil {
		return nil, err
	}
	if kinds[collection] == "" && looksLikeID.MatchString(collection) {
		return nil, noEntryID(collection)
	}
	found, more, err := a.client.RecentEntries(ctx, a.project, client.EntryFilter{Collection: collection}, 1)
	if err != nil {
		return nil, a.misspelt(collection, kinds, err)
	}
	several := more || len(found) > 0 && found[0].Slug != nil
	if kinds[collection] == schema.KindCollection || kinds[collection] == "" && several {
		return nil, usage(`"svc entries list --collection `+collection+`" shows the ids and slugs`,
			"%[1]q is a collection, and no singleton: name an entry of it as %[1]s/SLUG, or by its id", collection)
	}
	return found, nil
}

// resourceName names a resource as commands take it: an entry by its collection and slug, and what has no slug by its id.
func resourceName(collection string, slug *string, id string) string {
	if slug == nil {
		return id
	}
	return collection + "/" + *slug
}

// resourceNames are what resources are called, by their ids. One that has no name there is called by its id.
type resourceNames map[string]string

func (n resourceNames) of(id string) string { return cmp.Or(n[id], id) }

// namesOf names items. The entry of a singleton is called by its collection, so the kinds of collections are read where an entry has no
// slug; where that fails, it is called by its id.
func (a *app) namesOf(ctx context.Context, items []wire.Item) resourceNames {
	hasNoSlug := func(i wire.Item) bool { return i.ResourceType == content.ResourceEntry && i.Slug == nil }
	var kinds map[string]schema.Kind
	if slices.ContainsFunc(items, hasNoSlug) {
		kinds, _ = a.client.CollectionKinds(ctx, a.project)
	}
	names := resourceNames{}
	for _, i := range items {
		names[i.ResourceID] = resourceName(i.Collection, i.Slug, i.ResourceID)
		if hasNoSlug(i) && kinds[i.Collection] == schema.KindSingleton {
			names[i.ResourceID] = i.Collection
		}
	}
	return names
}

// target is the id of the entry that a write is aimed at; an empty change set lets the service choose.
func (a *app) target(ctx context.Context, entry, set string) (string, error) {
	if set != "" {
		if err := checkChangeSet(set); err != nil {
			return "", err
		}
	}
	return a.entryID(ctx, entry)
}
