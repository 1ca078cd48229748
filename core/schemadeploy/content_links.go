package schemadeploy

import (
	"context"
	"fmt"

	"svc/core/access"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/value"
)

// CodeReferenceUnpublished is the code of a reference that leads to nothing published (interface, "Errors").
const CodeReferenceUnpublished = "reference_unpublished"

// link is a reference of a head. A fresh one was none before, or led elsewhere: nobody has looked at it yet. The others
// were accepted when they were written and when they were published, and what has become of their targets since is no
// matter of schemas.
type link struct {
	value.Reference
	fresh bool
}

func (l link) isFresh() bool { return l.fresh }

// links reads the references of some heads.
func (k *contentCheck) links(some []head) ([][]link, error) {
	all := make([][]link, len(some))
	for i, h := range some {
		if h.fields == nil {
			continue
		}
		var err error
		if all[i], err = k.linksOf(h); err != nil {
			return nil, fmt.Errorf("reading the references of revision %s: %w", h.revision, err)
		}
	}
	return all, nil
}

func (k *contentCheck) linksOf(h head) ([]link, error) {
	now, err := value.References(k.now, k.locales, h.fields)
	if err != nil || len(now) == 0 {
		return nil, err
	}
	before, err := value.References(k.was, k.before, h.fields)
	if err != nil {
		return nil, err
	}
	accepted := make(map[value.Reference]bool, len(before))
	for _, r := range before {
		accepted[r] = true
	}
	links := make([]link, len(now))
	for i, r := range now {
		links[i] = link{r, !accepted[r]}
	}
	return links, nil
}

// targets returns the entries that links lead to, as far as something may be wrong with them.
func (k *contentCheck) targets(ctx context.Context, links [][]link) (map[content.EntryID]Target, error) {
	wanted := map[content.EntryID]bool{}
	var ids []content.EntryID
	for _, all := range links {
		for _, l := range all {
			if (l.fresh || l.Collection != "") && !wanted[l.Entry] {
				wanted[l.Entry] = true
				ids = append(ids, l.Entry)
			}
		}
	}
	return Targets(ctx, k.q, k.project, ids)
}

// misled finds links into other collections than their fields name, and fresh ones that a write would not be allowed, or
// in what readers have, a publish.
func (k *contentCheck) misled(h head, links []link, targets map[content.EntryID]Target) {
	for _, l := range links {
		to, found := targets[l.Entry]
		switch {
		case found && l.Collection != "" && l.Collection != to.Collection:
			owner := to.Collection
			if access.Confine(k.actor, owner) != nil {
				owner = "another collection"
			}
			k.add(h, l.Path, schema.CodeReference, "must refer to an entry of %s; %s is one of %s", l.Collection, l.Entry, owner)
		case !l.fresh:
		case !found || to.Deleted || !k.remains(to):
			k.add(h, l.Path, schema.CodeReference, "refers to %s, which does not exist in the project", l.Entry)
		case h.published && !to.Published:
			k.add(h, l.Path, CodeReferenceUnpublished, "refers to %s, which is not published, while the entry is; publish that first", l.Entry)
		}
	}
}
