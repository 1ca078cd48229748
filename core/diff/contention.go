package diff

import (
	"cmp"
	"slices"

	"svc/shared/content"
)

// Contention is a value of an entry that several change sets change differently (interface, "Entry": contendedFields).
type Contention struct {
	Path Path                  `json:"path"`
	Sets []content.ChangeSetID `json:"sets"`
}

// setChange is a change that a set makes.
type setChange struct {
	Change
	set content.ChangeSetID
}

// Contentions returns, by path, what more than one of several sets changes to different values, given the changes that each of
// them makes to one entry. Where one set changes a value and another something within it, the value is contended.
func Contentions(changes map[content.ChangeSetID][]Change) ([]Contention, error) {
	var all []setChange
	for set, own := range changes {
		for _, c := range own {
			all = append(all, setChange{c, set})
		}
	}
	slices.SortFunc(all, func(a, b setChange) int { return cmp.Or(a.Path.Compare(b.Path), cmp.Compare(a.set, b.set)) })
	var found []Contention
	for len(all) > 0 {
		n := 1 // those at the first path and within its value
		for n < len(all) && all[n].Path.HasPrefix(all[0].Path) {
			n++
		}
		sets, err := contending(all[:n])
		if err != nil {
			return nil, err
		}
		if len(sets) > 1 {
			found = append(found, Contention{all[0].Path, sets})
		}
		all = all[n:]
	}
	return found, nil
}

// contending returns the sets behind changes at a path and within its value, the first being at the path; nil where all of them
// make it the same.
func contending(changes []setChange) ([]content.ChangeSetID, error) {
	var sets []content.ChangeSetID
	differ := false
	for _, c := range changes {
		sets = append(sets, c.set)
		same := len(c.Path) == len(changes[0].Path)
		if same {
			var err error
			if same, err = sameJSON(c.After, changes[0].After); err != nil {
				return nil, err
			}
		}
		differ = differ || !same
	}
	if !differ {
		return nil, nil
	}
	slices.Sort(sets)
	return slices.Compact(sets), nil
}
