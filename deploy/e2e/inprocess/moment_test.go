package inprocess

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"svc/bench/node"
	"svc/core/client"
	"svc/core/wire"
	"svc/deploy/local/localtest"
)

// slowItems is how many items the slow publishes have.
var slowItems = localtest.Size(150, 1_500)

// TestEveryPrintedTimeIsItsOwnRelease: with a slow and a fast publish overlapping, in one project and beside it, through two
// cores whose clocks differ by a minute, every publishedAt that anybody prints, used as at on any node the moment it is
// printed and again later, reads the release that it was printed for. So it does on edges whose clocks are a minute off.
func TestEveryPrintedTimeIsItsOwnRelease(t *testing.T) {
	t.Parallel()
	s := newClocks(t)
	one, two := s.project("one"), s.project("two")
	var group errgroup.Group
	for n, m := range []*moments{one, two} {
		group.Go(func() error { return m.slowly(s.cores[n], localtest.Size(2, 3)) })
		group.Go(func() error { return m.quickly(s.cores[1-n], localtest.Size(12, 60)) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*moments{one, two} {
		if err := m.all(); err != nil {
			t.Error(err)
		}
	}
}

const momentPosts = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text","required":true},"body":{"type":"text"}}}`

func (s *clocks) project(slug string) *moments {
	s.t.Helper()
	api := s.api(s.cores[0])
	p, err := api.CreateProject(s.t.Context(), string(s.organization), slug, slug)
	s.check(err)
	_, err = api.PushSchema(s.t.Context(), p.Slug, []jsontext.Value{jsontext.Value(momentPosts)}, false, "")
	s.check(err)
	m := &moments{clocks: s, slug: p.Slug, at: map[uint64]time.Time{}}
	m.id = m.create(api)
	return m
}

// moments is a project and the times that were printed of its releases.
type moments struct {
	*clocks
	slug string
	id   string // of an entry that every quick release changes

	mu sync.Mutex
	at map[uint64]time.Time
}

func (m *moments) create(api *client.Client) string {
	m.t.Helper()
	made, err := api.CreateEntry(m.t.Context(), m.slug, "posts", client.NewEntry{Data: map[string]string{"title": "Post"}})
	m.check(err)
	m.check(node.Until(m.t.Context(), func(ctx context.Context) error {
		_, err := m.publish(ctx, api, string(made.ChangeSet.ID))
		return err
	}))
	return string(made.Entry.ID)
}

// publish publishes a set and returns its release, as core prints it.
func (m *moments) publish(ctx context.Context, api *client.Client, set string) (wire.Release, error) {
	out, err := api.Publish(ctx, m.slug, set)
	if err != nil {
		return wire.Release{}, err
	}
	return api.Release(ctx, m.slug, *out.ChangeSet.ReleaseNumber)
}

// slowly publishes large releases through a core.
func (m *moments) slowly(at node.Node, releases int) error {
	api := m.api(at)
	for n := range releases {
		var lines strings.Builder
		for i := range slowItems {
			fmt.Fprintf(&lines, `{"data":{"title":"Slow %s %d %04d"}}`+"\n", at.Name, n, i)
		}
		made, err := api.ImportLines(m.t.Context(), m.slug, "posts", strings.NewReader(lines.String()), client.ImportOptions{})
		if err != nil {
			return err
		}
		r, err := m.publish(m.t.Context(), api, string(*made.ChangeSet))
		if err != nil {
			return err
		}
		if err := m.print(r.Number, r.PublishedAt.Time); err != nil {
			return err
		}
	}
	return nil
}

// quickly publishes releases of one entry through a core.
func (m *moments) quickly(at node.Node, releases int) error {
	api := m.api(at)
	for n := range releases {
		made, err := api.PatchEntry(m.t.Context(), m.slug, m.id, client.Patch{Data: map[string]string{"body": fmt.Sprint(n)}})
		if err != nil {
			return err
		}
		r, err := m.publish(m.t.Context(), api, string(made.ChangeSet.ID))
		if err != nil {
			return err
		}
		if err := m.print(r.Number, r.PublishedAt.Time); err != nil {
			return err
		}
	}
	return nil
}

// print asks every node for what was just printed.
func (m *moments) print(release uint64, at time.Time) error {
	m.mu.Lock()
	m.at[release] = at
	m.mu.Unlock()
	return m.ask(release, at)
}

func (m *moments) ask(release uint64, at time.Time) error {
	for _, text := range []string{at.Format(time.RFC3339Nano), at.Add(999 * time.Microsecond).Format(time.RFC3339Nano)} {
		answers, err := node.Ask(m.t.Context(), append(m.edges, m.cores...), node.List(m.slug, "posts")+"?limit=1&at="+text)
		if err != nil {
			return err
		}
		for _, a := range answers {
			if a.Status != http.StatusOK || a.Release != release {
				return fmt.Errorf("at %s, which was printed for release %d: %s", text, release, a)
			}
		}
	}
	return nil
}

// all asks for every time again, and what entries print of themselves, and for the moment before each.
func (m *moments) all() error {
	var last uint64
	for release, at := range m.at {
		last = max(last, release)
		if err := m.ask(release, at); err != nil {
			return err
		}
		if err := m.entry(release); err != nil {
			return err
		}
		if _, printed := m.at[release-1]; printed {
			if err := m.ask(release-1, at.Add(-time.Millisecond)); err != nil {
				return err
			}
		}
	}
	if want := len(m.at) + 1; last != uint64(want) {
		return fmt.Errorf("the newest release is %d after %d publishes", last, want)
	}
	m.t.Logf("%s: %d times", m.slug, len(m.at))
	return nil
}

// entry follows the time that the entry itself prints at a release.
func (m *moments) entry(release uint64) error {
	for _, n := range append(m.edges, m.cores...) {
		answer, err := n.Get(m.t.Context(), fmt.Sprintf("%s?at=%d", node.Single(m.slug, "posts", m.id), release))
		if err != nil {
			return err
		}
		e, err := answer.Entry()
		if err != nil {
			return err
		}
		then, err := n.Get(m.t.Context(), node.Single(m.slug, "posts", m.id)+"?at="+e.Meta.PublishedAt.Format(time.RFC3339Nano))
		if err != nil {
			return err
		}
		there, err := then.Entry()
		if err != nil || there.Meta != e.Meta || then.Release > release {
			return fmt.Errorf("%s: the revision %+v of release %d reads %+v of release %d at its own time: %w", n.Name, e.Meta, release, there.Meta, then.Release, err)
		}
		if at, printed := m.at[then.Release]; printed && !at.Equal(e.Meta.PublishedAt) {
			return fmt.Errorf("%s: %s is printed of an entry, and of release %d %s", n.Name, e.Meta.PublishedAt, then.Release, at)
		}
	}
	return nil
}
