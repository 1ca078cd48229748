package schemadeploy

import (
	"context"

	"svc/core/access"
	"svc/shared/content"
	"svc/shared/schema"
)

// CodeReferenceUnpublished is the code of a reference that leads to nothing published (interface, "Errors").
const CodeReferenceUnpublished = "reference_unpublished"

// targets returns the entries that links lead to, as far as something may be wrong with them.
func (k *contentCheck) targets(ctx context.Context, all []mentions) (map[content.EntryID]Target, error) {
	wanted := map[content.EntryID]bool{}
	var ids []content.EntryID
	for _, m := range all {
		for _, l := range m.links {
			if (!m.accepted[l] || l.Collection != "") && !wanted[l.Entry] {
				wanted[l.Entry] = true
				ids = append(ids, l.Entry)
			}
		}
	}
	return Targets(ctx, k.q, k.project, ids)
}

// misled finds links into other collections than their fields name, and new ones that a write would not be allowed, or
// in what readers have, a publish.
func (k *contentCheck) misled(h head, m mentions, targets map[content.EntryID]Target) {
	for _, l := range m.links {
		to, found := targets[l.Entry]
		switch {
		case found && l.Collection != "" && l.Collection != to.Collection:
			owner := to.Collection
			if access.Confine(k.actor, owner) != nil {
				owner = "another collection"
			}
			k.add(h, l.Path, schema.CodeReference, "must refer to an entry of %s; %s is one of %s", l.Collection, l.Entry, owner)
		case m.accepted[l]:
		case !found || to.Deleted || !k.remains(to):
			k.add(h, l.Path, schema.CodeReference, "refers to %s, which does not exist in the project", l.Entry)
		case h.published && !to.Published:
			k.add(h, l.Path, CodeReferenceUnpublished, "refers to %s, which is not published, while the entry is; publish that first", l.Entry)
		}
	}
}
