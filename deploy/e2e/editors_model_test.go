package e2e

import (
	"fmt"
	"maps"
	"net/url"

	"svc/bench/node"
)

// compare replays the book and compares it with what edges serve at every release.
func (e *editors) compare() {
	b := e.bed
	b.t.Helper()
	head := uint64(len(e.book))
	states := []map[string]values{{}}
	for number := uint64(1); number <= head; number++ {
		r, there := e.book[number]
		if !there {
			b.t.Fatalf("no editor got release %d of %d", number, head)
		}
		states = append(states, r.after(states[number-1]))
		for _, c := range r.claims {
			if want := states[c.release-1][c.entry]; !maps.Equal(c.drafted, want) {
				b.t.Errorf("the revert of release %d has %s as %v, before it was %v", c.release, c.entry, c.drafted, want)
			}
		}
	}
	listed, err := b.api.Releases(b.t.Context(), b.project.Slug)
	b.check(err)
	if uint64(len(listed)) != head || listed[0].Number != head {
		b.t.Fatalf("there are %d releases up to %d, and editors got %d", len(listed), listed[0].Number, head)
	}
	b.await(head, "notes", b.edges()...)
	for number, state := range states[1:] {
		for _, edge := range b.edges() {
			b.check(e.serves(edge, uint64(number+1), state))
		}
	}
}

// after is the state that a release makes of the one before.
func (r release) after(before map[string]values) map[string]values {
	state := maps.Clone(before)
	for entry, edits := range r.edits {
		next := values{}
		maps.Copy(next, before[entry])
		maps.Copy(next, edits)
		maps.DeleteFunc(next, func(_, value string) bool { return value == "" })
		state[entry] = next
	}
	for _, entry := range r.gone {
		delete(state, entry)
	}
	return state
}

// serves compares a node with a state at a release.
func (e *editors) serves(n node.Node, release uint64, want map[string]values) error {
	got := map[string]values{}
	err := n.Walk(e.bed.t.Context(), e.bed.project.Slug, "notes", url.Values{"at": {fmt.Sprint(release)}, "limit": {"100"}}, func(_ node.Answer, page node.Page) error {
		for _, entry := range page.Entries {
			got[entry.ID] = valuesOf(entry.Fields)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for entry := range want {
		if !maps.Equal(got[entry], want[entry]) {
			return fmt.Errorf("release %d on %s has %s as %v, and not %v", release, n.Name, entry, got[entry], want[entry])
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("release %d on %s has %d entries, and not %d", release, n.Name, len(got), len(want))
	}
	return nil
}
