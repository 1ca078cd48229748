package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
	"svc/core/client"
	"svc/core/wire"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
)

// TestARestoredDatabaseGivesNothingTwice: PostgreSQL comes back as an older base backup while the stream and the edges are
// ahead, and then comes back as the same backup once more. In a project that lost releases a new epoch begins, the edges,
// one that ran all along and one that was away, come to hold what core holds, and no release ever gets a number or a time
// that another one had, whether many releases follow, few, or none before the second loss. A project that lost nothing
// goes on as if nothing had happened. One that is lost itself gives its slug to the project that is made with it.
func TestARestoredDatabaseGivesNothingTwice(t *testing.T) {
	b := newPrivateBed(t, local.Config{}, posts, memos)
	lives := []*life{
		{name: "nothing published, then little", kept: 3, lost: 4, after: [2]int{0, 2}},
		{name: "less published than lost, then nothing", kept: 3, lost: 4, after: [2]int{2, 0}},
		{name: "as much published as lost", kept: 3, lost: 4, after: [2]int{4, 4}},
		{name: "more published than lost", kept: 3, lost: 2, after: [2]int{6, 9}},
		{name: "all releases lost", kept: 0, lost: 3, after: [2]int{2, 1}},
		{name: "nothing lost", kept: 3, lost: 0, after: [2]int{0, 3}},
	}
	for _, l := range lives {
		l.begin(b)
	}
	revoked := b.mint("content:read")
	b.check(b.stack.StopPart("postgres"))
	backup, err := b.stack.KeepPart("postgres")
	b.check(err)
	b.check(b.stack.StartPart(t.Context(), "postgres"))
	for _, l := range lives {
		l.publish(l.lost)
	}
	b.insist(func() error { return b.api.RevokeProjectKey(t.Context(), b.project.Slug, string(revoked.Key.ID)) })
	minted := b.mint("content:read")
	young := b.newProject(posts)
	b.level(string(young.ID), b.edges()...)
	for _, l := range lives {
		l.agree([]string{"posts"}, b.edges()...)
	}
	b.readable(minted.Secret, http.StatusOK)
	b.readable(revoked.Secret, http.StatusUnauthorized)

	for round := range localtest.Size(2, 2) {
		away := []string{"edge-2", "edge-1"}[round%2]
		b.check(b.stack.StopPart(away))
		b.check(b.stack.KillPart("postgres"))
		b.check(b.stack.RestorePart("postgres", backup))
		b.check(b.stack.StartPart(t.Context(), "postgres"))
		for _, l := range lives {
			l.restored()
			l.publish(l.after[round%2])
		}
		b.check(b.stack.StartPart(t.Context(), away))
		for _, l := range lives {
			t.Run(fmt.Sprintf("restore %d/%s", round+1, l.name), func(t *testing.T) { l.on(t).verify(round) })
		}
		b.level(string(b.project.Organization), b.edges()...)
		b.readable(minted.Secret, http.StatusUnauthorized)
		b.readable(revoked.Secret, http.StatusOK)
	}
	t.Run("a project made after the backup is made again", func(t *testing.T) {
		b := b.on(t)
		if old := b.same(b.edges(), node.List(young.Slug, "posts")); old.Status != http.StatusOK || old.Release != 0 {
			t.Fatalf("the lost project is answered with %s", old)
		}
		again, err := b.api.CreateProject(t.Context(), b.account.Organization, "Again", young.Slug)
		b.check(err)
		b.project = again
		_, err = b.api.PushSchema(t.Context(), again.Slug, []jsontext.Value{jsontext.Value(posts)}, false, "")
		b.check(err)
		set := b.set("Posts")
		b.create(set, "posts", postNumber(1))
		b.await(b.publish(set), "posts", b.nodes()...)
		b.agree([]string{"posts"}, b.edges()...)
	})
}

// life is a project, and all releases that core ever said it had, also those that its database lost.
type life struct {
	*bed
	name       string
	kept, lost int    // releases before the backup, and after it
	after      [2]int // after the first restore, and after the second one; then again
	entry      string // what is written to
	have       []wire.Release
	told       map[uint64]time.Time
	newest     wire.Release
}

func (l *life) begin(b *bed) {
	l.bed, l.told = b.beside(posts), map[uint64]time.Time{}
	l.publish(l.kept)
}

// publish publishes so many releases, the first of all of several entries. Each comes behind everything that core ever
// told of the project.
func (l *life) publish(releases int) {
	l.t.Helper()
	ctx := l.t.Context()
	for range releases {
		var set wire.ChangeSet
		l.insist(func() (err error) {
			set, err = l.api.CreateChangeSet(ctx, l.project.Slug, "Edit", "")
			return err
		})
		if l.entry == "" {
			for n := range 5 {
				l.entry = l.create(string(set.ID), "posts", postNumber(n))
			}
		} else {
			edit := client.Patch{Data: map[string]string{"body": string("as of " + set.ID)}, ChangeSetID: string(set.ID)}
			l.insist(func() error {
				_, err := l.api.PatchEntry(ctx, l.project.Slug, l.entry, edit)
				return err
			})
		}
		var out wire.Published
		l.insist(func() (err error) {
			out, err = l.api.Publish(ctx, l.project.Slug, string(set.ID))
			return err
		})
		r, err := l.api.Release(ctx, l.project.Slug, *out.ChangeSet.ReleaseNumber)
		l.check(err)
		if r.Number <= l.newest.Number || !r.PublishedAt.After(l.newest.PublishedAt.Time) {
			l.t.Fatalf("%s: release %d at %s comes after release %d at %s", l.name, r.Number, r.PublishedAt, l.newest.Number, l.newest.PublishedAt)
		}
		l.newest, l.told[r.Number] = r, r.PublishedAt.Time
		l.have = append(l.have, r)
	}
}

// restored takes it that the database knows only of what was kept.
func (l *life) restored() {
	l.have = l.have[:l.kept]
	if l.kept == 0 {
		l.entry = ""
	}
}

func (l *life) on(t *testing.T) *life {
	part := *l
	part.bed = l.bed.on(t)
	return &part
}

// verify holds core's releases against those that were told, and the edges against core: also at what was lost.
func (l *life) verify(round int) {
	l.t.Helper()
	at := l.level(string(l.project.ID), l.edges()...)
	if fresh := at.Epoch == 1; fresh != (l.lost == 0) && round == 0 {
		l.t.Errorf("%d releases were lost, and the epoch is %d", l.lost, at.Epoch)
	}
	listed, err := l.api.Releases(l.t.Context(), l.project.Slug)
	l.check(err)
	here := map[uint64]bool{}
	for i, r := range listed {
		if len(listed) != len(l.have) || !reflect.DeepEqual(l.have[len(listed)-1-i], r) {
			l.t.Fatalf("core has %+v, and said that it has %+v", listed, l.have)
		}
		here[r.Number] = true
	}
	for number, published := range l.told {
		if !here[number] {
			l.refused(l.nodes(), l.list("posts")+"?at="+strconv.FormatUint(number, 10), http.StatusBadRequest, "VALIDATION_FAILED")
		}
		if len(l.have) > 0 && published.After(l.have[0].PublishedAt.Time) {
			l.same(l.nodes(), l.list("posts")+"?at="+url.QueryEscape(published.Format(time.RFC3339Nano)))
		}
	}
	l.agree([]string{"posts"}, l.edges()...)
}

// readable waits until every node answers the list of private entries so, to a key.
func (b *bed) readable(key string, status int) {
	b.t.Helper()
	b.answered(with(key, b.nodes()...), b.list("memos"), status)
}
