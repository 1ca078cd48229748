package schemadeploy

import (
	"context"
	"fmt"
	"slices"

	"svc/core/access"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/value"
)

// mentions are what a head names by id.
type mentions struct {
	links []value.Reference
	// accepted are the links that were there when the head was written and published: what has become of their targets
	// since is no matter of schemas. No one has looked at the others yet.
	accepted map[value.Reference]bool
	uses     []use
}

// depends reports whether it takes more than the head and the schemas to say whether the head fits.
func (m mentions) depends() bool {
	return len(m.uses) > 0 || slices.ContainsFunc(m.links, func(l value.Reference) bool { return !m.accepted[l] })
}

// mentions reads what some heads name.
func (k *contentCheck) mentions(some []head) ([]mentions, error) {
	all := make([]mentions, len(some))
	for i, h := range some {
		if h.fields == nil {
			continue
		}
		var err error
		if all[i], err = k.mentionsOf(h); err != nil {
			return nil, fmt.Errorf("reading what revision %s names: %w", h.revision, err)
		}
	}
	return all, nil
}

func (k *contentCheck) mentionsOf(h head) (mentions, error) {
	now, err := value.MentionsIn(k.now, k.locales, h.fields)
	if err != nil || len(now.References)+len(now.Assets) == 0 {
		return mentions{}, err
	}
	before, err := value.MentionsIn(k.was, k.before, h.fields)
	if err != nil {
		return mentions{}, err
	}
	m := mentions{links: now.References, accepted: make(map[value.Reference]bool, len(before.References)), uses: usesOf(now.Assets, before.Assets)}
	for _, r := range before.References {
		m.accepted[r] = true
	}
	return m, nil
}

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
