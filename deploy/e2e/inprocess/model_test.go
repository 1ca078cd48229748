package inprocess

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"svc/deploy/local/localtest"
	"svc/shared/read/readtest"
	"svc/shared/testrand"
)

// sequences is how many are played.
var sequences = localtest.Size(100, allActs)

const (
	// allActs is how many it takes until everything was done some time.
	allActs = 1_000
	players = 4 // who play at the same time
)

// TestRandomSequencesAgainstAModel: whatever is done to projects in whatever order (publish, pass slugs on, abandon, revert by
// new data, arrange, move, change settings, pin, deploy schemas that lose and bring back fields, slugs and collections, make and revoke keys, crash edges so that their disks lose what
// was not synced, rebuild them, let them fall behind, restart cores), core and two edges answer what a plain model answers,
// at every release; and the state that edges keep, find on their disks, and core's are one. Each sequence is a subtest with
// a project of its own; -run, and SVC_TEST_SEED where it was set, repeat one.
func TestRandomSequencesAgainstAModel(t *testing.T) {
	t.Parallel()
	random := testrand.New(t)
	s := newStage(t)
	seeds := make(chan [2]uint64, sequences)
	for n := range sequences {
		seeds <- [2]uint64{uint64(n), random.Uint64()}
	}
	close(seeds)
	var group errgroup.Group
	for range players {
		group.Go(func() error {
			for seed := range seeds {
				if !t.Failed() {
					t.Run(strconv.FormatUint(seed[0], 10), func(t *testing.T) {
						s.sequence(t, rand.New(rand.NewPCG(seed[1], 0)))
					})
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	s.tally.judge(t)
}

// sequence plays one.
func (s *stage) sequence(t *testing.T, random *rand.Rand) {
	e, err := s.editor(t.Context(), random)
	if err != nil {
		t.Fatal(err)
	}
	p := &play{
		editor: e, ctx: t.Context(), model: readtest.NewMemory(), docs: map[string]*document{},
		then: []map[string]*document{{}}, touched: []map[string]bool{{}}, places: map[string][]string{}, home: map[string]string{},
	}
	defer func() {
		for _, e := range p.edges {
			if err := e.close(); err != nil {
				t.Error(err)
			}
		}
		if t.Failed() {
			t.Log("what happened:\n" + strings.Join(p.script, "\n"))
			for _, e := range p.edges {
				t.Logf("what %s logged:\n%s", e.name, bytes.TrimSpace(e.logged.Bytes()))
			}
		}
	}()
	if err := errors.Join(p.begin(), p.enlist()); err != nil {
		t.Fatal(err)
	}
	for range 8 + random.IntN(9) {
		if err := p.act(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.finish(); err != nil {
		t.Fatal(err)
	}
	s.tally.count(whole)
}

// enlist starts the edges: one that takes changes however far behind it is, and one that soon takes snapshots.
func (p *play) enlist() error {
	for i, far := range []uint64{0, 1 + p.random.Uint64N(3)} {
		name := p.project.Slug + "-" + strconv.Itoa(i+1)
		e, err := p.newEdge(name, p.cores[i], far, string(p.project.ID), string(p.project.Organization))
		if err != nil {
			return err
		}
		p.edges = append(p.edges, e)
	}
	return nil
}
