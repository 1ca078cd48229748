package schemadeploy

import (
	"fmt"
	"slices"

	"svc/shared/value"
)

// mentions are what a head names by id.
type mentions struct {
	links []value.Reference
	// accepted are the links that were there when the head was written and published: what has become of their targets
	// since is no matter of schemas. Nobody has looked at the others yet.
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
