package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"svc/core/client"
	"svc/core/postgres"
	"svc/core/wire"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/testrand"
)

const (
	// editorCount is how many editors work at the same time, and editedAtOnce how many entries they share.
	editorCount, editedAtOnce = 32, 12

	edited = `{"name":"notes","visibility":"public","fields":{"slug":{"type":"slug"},"tags":{"type":"list","of":{"type":"number"}},
		"seo":{"type":"object","fields":{"title":{"type":"number"},"description":{"type":"number"}}},
		"a":{"type":"number"},"b":{"type":"number"},"c":{"type":"number"},"d":{"type":"number"}}}`
)

// setsEach is how many change sets each editor brings to an end.
var setsEach = localtest.Size(6, 50)

// TestManyEditorsLoseNoEdit: many editors stage edits of the same entries in change sets of their own, publish, rebase what is stale,
// revert each other's releases, and close sets. A model replays what was acknowledged, release by release: edges serve that at
// each of them.
func TestManyEditorsLoseNoEdit(t *testing.T) {
	random := testrand.New(t)
	b := newBed(t, edited)
	e := &editors{bed: b, book: map[uint64]release{}, done: map[string]int{}}
	b.check(e.begin())
	deadlocks := b.deadlocks()
	group, ctx := errgroup.WithContext(t.Context())
	for n := range editorCount {
		one := &editor{editors: e, n: n, random: rand.New(rand.NewPCG(random.Uint64(), 0))}
		one.api = client.New(b.stack.URL([]string{"core", "edge-1", "edge-2"}[n%3]), b.account.Token, nil)
		group.Go(func() error {
			for range setsEach {
				if err := one.work(ctx); err != nil {
					return fmt.Errorf("editor %d: %w", n, err)
				}
			}
			return nil
		})
	}
	b.check(group.Wait())
	t.Logf("%d releases, %d deadlocks: %v", len(e.book), b.deadlocks()-deadlocks, e.done)
	for _, what := range []string{"rebased", "took mine", "took theirs", "reverted", "closed"} {
		if e.done[what] == 0 {
			t.Errorf("no one %s anything", what)
		}
	}
	e.compare()
}

// deadlocks is how many PostgreSQL has resolved, which core must make up for.
func (b *bed) deadlocks() (n int) {
	b.t.Helper()
	pool, err := postgres.Open(b.t.Context(), b.stack.ServiceURL(local.Postgres))
	b.check(err)
	defer pool.Close()
	b.check(pool.QueryRow(b.t.Context(), `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&n))
	return n
}

// editors share entries and a book of what they published.
type editors struct {
	bed *bed

	mu      sync.Mutex
	entries []string
	book    map[uint64]release
	done    map[string]int // how often what happened
}

// release is what a release did, as its editor knows it.
type release struct {
	edits  map[string]values // by entry
	gone   []string          // unpublished and deleted entries
	claims []claim
}

// claim is what a revert drafted of an entry: the state before a release.
type claim struct {
	release uint64
	entry   string
	drafted values
}

func (e *editors) count(what string, times int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done[what] += times
}

// begin publishes the first entries.
func (e *editors) begin() error {
	first := &editor{editors: e, api: e.bed.api, n: editorCount, random: rand.New(rand.NewPCG(1, 1))}
	set := first.open(e.bed.set("First"))
	for range editedAtOnce {
		if err := set.create(e.bed.t.Context()); err != nil {
			return err
		}
	}
	return set.finish(e.bed.t.Context())
}

// some picks from the newest entries, so that those that are gone do not become most of them.
func (e *editors) some(random *rand.Rand, n int) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	newest := e.entries[len(e.entries)-editedAtOnce:]
	var out []string
	for _, i := range random.Perm(len(newest))[:n] {
		out = append(out, newest[i])
	}
	return out
}

// recent picks one of the newest releases.
func (e *editors) recent(random *rand.Rand) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	head := slices.Max(slices.Collect(maps.Keys(e.book)))
	return head - uint64(random.IntN(int(min(head, 8))))
}

func (e *editors) enter(number uint64, r release) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, taken := e.book[number]; taken {
		return fmt.Errorf("release %d was given twice", number)
	}
	e.book[number] = r
	return nil
}

// editor is one of them.
type editor struct {
	*editors
	api    *client.Client
	n      int
	made   int // values, all of which differ from those of other editors
	random *rand.Rand
}

// value is a new one, or now and then one that others have too.
func (e *editor) value() string {
	if e.random.IntN(5) == 0 {
		return fmt.Sprint(-1 - e.random.IntN(2))
	}
	e.made++
	return fmt.Sprint(e.made*100 + e.n)
}

// work brings one change set to its end.
func (e *editor) work(ctx context.Context) error {
	if e.random.IntN(8) == 0 {
		return e.revert(ctx)
	}
	made, err := e.api.CreateChangeSet(ctx, e.bed.project.Slug, "Set", "")
	if err != nil {
		return err
	}
	set := e.open(string(made.ID))
	for _, entry := range e.some(e.random, 1+e.random.IntN(3)) {
		switch draw := e.random.IntN(24); draw {
		case 0, 1:
			err = set.create(ctx)
		case 2:
			err = set.remove(ctx, entry, content.OperationUnpublish)
		case 3:
			err = set.remove(ctx, entry, content.OperationDelete)
		default:
			err = set.edit(ctx, entry)
		}
		if err != nil {
			return err
		}
	}
	if e.random.IntN(8) == 0 {
		return set.close(ctx)
	}
	return set.finish(ctx)
}

// revert drafts the revert of a release and publishes it.
func (e *editor) revert(ctx context.Context) error {
	number := e.recent(e.random)
	var drafted wire.Envelope[wire.ChangeSet]
	err := e.ask(ctx, &drafted, http.MethodPost, fmt.Sprintf("releases/%d/revert", number), map[string]bool{"force": e.random.IntN(2) == 0})
	if refused(err, fault.Conflict) != nil {
		e.count("not reverted", 1)
		return nil
	} else if err != nil {
		return err
	}
	set := e.open(string(drafted.Data.ID))
	items, _, err := e.api.RecentDiff(ctx, e.bed.project.Slug, set.id, 0)
	if err != nil {
		return err
	}
	for _, i := range items {
		if !i.Operation.Publishes() {
			set.gone[i.ResourceID] = i.Operation
			continue
		}
		set.pending[i.ResourceID] = values{}
		for _, c := range i.Changes {
			set.pending[i.ResourceID].put(inEntry(c.Path), c.After)
		}
		var now wire.Envelope[wire.EntryInSets]
		if err := e.ask(ctx, &now, http.MethodGet, "entries/"+i.ResourceID+"?changeSetId="+set.id, nil); err != nil {
			return err
		}
		set.claims = append(set.claims, claim{number, i.ResourceID, valuesOf(now.Data.Draft.Fields)})
	}
	e.count("reverted", 1)
	return set.finish(ctx)
}

// refused is err where it is a refusal with this code.
func refused(err error, code fault.Code) *client.Error {
	var f *client.Error
	if !errors.As(err, &f) || f.Code != code {
		return nil
	}
	return f
}

// values are those of an entry, as JSON, by path; one that is cleared is empty.
type values map[string]string

// put sets a value, of an object each member.
func (v values) put(path string, raw jsontext.Value) {
	v.clear(path)
	switch raw.Kind() {
	case '{':
		for name, value := range membersOf(raw) {
			v.put(strings.TrimPrefix(path+"."+name, "."), value)
		}
	case 'n', jsontext.KindInvalid:
		v[path] = ""
	default:
		v[path] = string(raw)
	}
}

// clear takes out what is at a path and within it.
func (v values) clear(path string) {
	maps.DeleteFunc(v, func(other, _ string) bool { return path == "" || other == path || strings.HasPrefix(other, path+".") })
}

func valuesOf(fields jsontext.Value) values {
	v := values{}
	v.put("", fields)
	return v
}

// inEntry is a path without the "fields" that it begins with.
func inEntry(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, "fields"), ".") }
