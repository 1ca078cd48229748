package schemadeploy

import (
	"context"

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

func linksOf(now, before []value.Reference) []link {
	accepted := make(map[value.Reference]bool, len(before))
	for _, r := range before {
		accepted[r] = true
	}
	links := make([]link, len(now))
	for i, r := range now {
		links[i] = link{r, !accepted[r]}
	}
	return links
}

// targets returns the entries that links lead to, as far as something may be wrong with them.
func (k *contentCheck) targets(ctx context.Context, all []mentions) (map[content.EntryID]Target, error) {
	wanted := map[content.EntryID]bool{}
	var ids []content.EntryID
	for _, m := range all {
		for _, l := range m.links {
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
