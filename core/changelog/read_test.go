package changelog

import (
	"fmt"
	"testing"
	"time"

	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/fault"
)

// readAll reads a log from a position to its head, and proves every change by encoding it.
func readAll(t *testing.T, s *Source, log string, at record.Position) (all []*record.Change, readings int) {
	t.Helper()
	for {
		tail, err := s.After(t.Context(), log, at)
		if err != nil || tail.Proof != publish.Proved {
			t.Fatalf("%s after %s: %v", tail.Proof, at, err)
		}
		if len(tail.Changes) == 0 {
			if at.Seq != tail.Head.Seq {
				t.Fatalf("nothing follows %s before the head %s", at, tail.Head)
			}
			return all, readings
		}
		readings++
		for _, c := range tail.Changes {
			if !c.Follows(at) {
				t.Fatalf("%s does not follow %s", c.Position, at)
			}
			if _, err := record.Encode(c, record.InlineLimit); err != nil {
				t.Fatal(err)
			}
			all, at = append(all, c), c.Position
		}
	}
}

func TestBodiesAreThoseOfTheRows(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := source(t, pool)
	c := newFixture(t, pool, "prj_a")
	named(t, pool, "prj_a", 1)
	c.push(1, 2, "old")
	c.release(1, 3, "")
	c.release(2, 1, "unpublish", "ent_prj_a_000001")
	c.release(3, 0, "delete", "ent_prj_a_000001", "ent_prj_a_000002")
	all, _ := readAll(t, s, "prj_a", record.Position{})
	var kinds []record.Kind
	for _, c := range all {
		kinds = append(kinds, c.Kind)
	}
	if fmt.Sprint(kinds) != "[project schema release release release]" {
		t.Fatal(kinds)
	}
	push := all[1].Body.(*recordpb.Schema)
	if push.FromRelease != 9 || len(push.Collections) != 1 || push.Collections[0].Hash != "hash 2" || push.Removed[0] != "old" {
		t.Fatal(push)
	}
	second := all[3].Body.(*recordpb.Release)
	// Items come in the order of entry ids, whatever their operation.
	if second.Number != 2 || len(second.Items) != 2 || second.Items[0].Operation != recordpb.Operation_OPERATION_UNPUBLISH ||
		string(second.Items[1].Fields) != `{"n":4}` || second.Items[1].Slug != "slug-4" || second.Items[1].SchemaVersion != 4 {
		t.Fatal(second)
	}
}

func TestOneReadingIsBounded(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := source(t, pool)
	c := newFixture(t, pool, "prj_a")
	c.release(1, 1500, "")
	c.release(2, 400, "")
	c.release(3, 400, "") // would make it 2300 items
	c.release(4, 2500, "")
	c.release(5, 1, "")
	tail, err := s.After(t.Context(), "prj_a", record.Position{})
	if err != nil || len(tail.Changes) != 2 {
		t.Fatalf("%d changes, %v", len(tail.Changes), err)
	}
	all, readings := readAll(t, s, "prj_a", record.Position{})
	if len(all) != 5 || readings != 4 {
		t.Fatalf("%d changes in %d readings", len(all), readings)
	}
	named(t, pool, "prj_a", 600)
	if all, readings := readAll(t, s, "prj_a", all[4].Position); len(all) != 600 || readings != 3 {
		t.Fatalf("%d changes in %d readings", len(all), readings)
	}
}

func TestAPositionIsProvedDisprovedOrForgotten(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := source(t, pool)
	create(t, pool, "prj_a")
	var was []record.Position
	for range 6 {
		was = append(was, named(t, pool, "prj_a", 1))
	}
	other := record.Hash{1}
	check := func(what string, at record.Position, want publish.Proof) {
		t.Helper()
		tail, err := s.After(t.Context(), "prj_a", at)
		if err != nil || tail.Proof != want || tail.Head != was[5] {
			t.Errorf("%s: %s, head %s, %v", what, tail.Proof, tail.Head, err)
		}
		follow := 0
		if want == publish.Proved {
			follow = int(6 - at.Seq)
		}
		if len(tail.Changes) != follow {
			t.Errorf("%s: %d changes", what, len(tail.Changes))
		}
	}
	check("the beginning", record.Position{Epoch: 1}, publish.Proved)
	check("the middle", was[2], publish.Proved)
	check("the head", was[5], publish.Proved)
	check("another middle", record.Position{Epoch: 1, Seq: 3, Chain: other}, publish.Disproved)
	check("another head", record.Position{Epoch: 1, Seq: 6, Chain: other}, publish.Disproved)
	check("beyond the head", record.Position{Epoch: 1, Seq: 7, Chain: other}, publish.Disproved)

	exec(t, pool, `DELETE FROM change WHERE seq <= 3`)
	check("the last one pruned", was[2], publish.Proved)
	check("another in its place", record.Position{Epoch: 1, Seq: 3, Chain: other}, publish.Disproved)
	check("pruned", was[1], publish.Forgotten)
	check("the beginning, pruned", record.Position{Epoch: 1}, publish.Forgotten)

	if _, err := s.After(t.Context(), "prj_none", record.Position{}); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

func TestWhereTheStreamHasNothingTheRelayResumesAtWhatWasNotSent(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := source(t, pool)
	create(t, pool, "prj_a")
	resume := func(want string) {
		t.Helper()
		tail, err := s.Resume(t.Context(), "prj_a", false)
		if err != nil || tail.Proof != publish.Proved {
			t.Fatal(tail, err)
		}
		var all []uint64
		for _, c := range tail.Changes {
			all = append(all, c.Position.Seq)
		}
		if got := fmt.Sprint(all); got != want {
			t.Errorf("resumes with %s, want %s", got, want)
		}
	}
	resume("[]")
	named(t, pool, "prj_a", 3)
	resume("[1 2 3]")
	for _, sent := range []struct {
		seq  uint64
		want string
	}{{1, "[2 3]"}, {3, "[3]"}, {2, "[3]"}} { // the hint does not go back
		if err := s.Sent(t.Context(), map[string]uint64{"prj_a": sent.seq, "prj_gone": 1}); err != nil {
			t.Fatal(err)
		}
		resume(sent.want)
	}
	exec(t, pool, `UPDATE relay_progress SET seq = 99`) // a hint can be wrong
	resume("[3]")
}

func TestUnsentFindsWhatChangedLately(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := source(t, pool)
	for _, log := range []string{"prj_a", "prj_b", "prj_c", "prj_d"} {
		create(t, pool, log)
	}
	for _, log := range []string{"prj_a", "prj_b", "prj_c"} {
		named(t, pool, log, 2)
	}
	if err := s.Sent(t.Context(), map[string]uint64{"prj_a": 1, "prj_b": 2}); err != nil {
		t.Fatal(err)
	}
	exec(t, pool, `UPDATE log_head SET updated_at = updated_at - interval '1 hour' WHERE log = 'prj_c'`)
	for age, want := range map[time.Duration]string{0: "[prj_a]", time.Minute / 2: "[]"} {
		if unsent, err := s.Unsent(t.Context(), age); err != nil || fmt.Sprint(unsent) != want {
			t.Errorf("of an age of %s: %v, %v", age, unsent, err)
		}
	}
}
