package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/asset/assettest"
	"svc/core/client"
	"svc/core/postgres"
	"svc/core/wire"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/shared/content"
	"svc/shared/fault"
)

const (
	racingAuthors = `{"name":"authors","kind":"collection","visibility":"public","fields":{"name":{"type":"text","required":true}}}`
	racingPosts   = `{"name":"posts","kind":"collection","visibility":"public","titleField":"title","fields":{
		"title":{"type":"text","required":true},"author":{"type":"reference","to":"authors"},"cover":{"type":"asset"},"see":{"type":"text"}}}`
)

// TestNoReleaseIsOvertaken: of a publish and something that takes away what it relies on, both at the same moment, an edge
// shows at every release what one after the other would have led to.
func TestNoReleaseIsOvertaken(t *testing.T) {
	t.Parallel()
	for name, stage := range map[string]func(r *racing) pair{
		"delete":                       func(r *racing) pair { return r.against(r.bed.api.DeleteEntry, 1, "") },
		"unpublish":                    func(r *racing) pair { return r.against(r.bed.api.UnpublishEntry, 1, "") },
		"edit of an existing referrer": (*racing).edit,
		"300 referrers":                func(r *racing) pair { return r.against(r.bed.api.DeleteEntry, 300, "") },
		"schema push":                  (*racing).push,
		"asset delete":                 (*racing).asset,
	} {
		t.Run(name, func(t *testing.T) {
			r := &racing{bed: newBed(t, racingAuthors, racingPosts)}
			var err error
			r.pool, err = postgres.Open(t.Context(), r.stack.ServiceURL(local.Postgres))
			r.check(err)
			defer r.pool.Close()
			pairs := localtest.Size(20, 200)
			for range pairs {
				r.race(stage(r))
			}
			t.Logf("%d pairs: both came about %d times, the publish alone %d times, the other alone %d times", pairs, r.both, r.first, r.second)
		})
	}
}

// racing is a project in which pairs race.
type racing struct {
	*bed
	pool                *pgxpool.Pool
	both, first, second int
}

// pair is a set to publish, what races with it, and what must hold on an edge at the release of the set.
type pair struct {
	set   string
	race  func() error
	holds func(release uint64)
	// onlyOne says that one of both has to be refused, whichever comes first.
	onlyOne bool
}

func (r *racing) race(p pair) {
	r.t.Helper()
	var published wire.Published
	var refused, raced error
	start := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		<-start
		published, refused = r.api.Publish(r.t.Context(), r.project.Slug, p.set)
	})
	group.Go(func() { <-start; raced = p.race() })
	close(start)
	group.Wait()
	switch {
	case refused == nil && raced == nil:
		if r.both++; p.onlyOne {
			r.t.Fatal("both came about")
		}
	case refused == nil:
		r.first++
	case raced == nil:
		r.second++
		var f *client.Error
		if !errors.As(refused, &f) || f.Code != fault.PublishValidationFailed {
			r.t.Fatal(refused)
		}
	default:
		r.t.Fatalf("neither came about: %v; %v", refused, raced)
	}
	if refused == nil {
		release := *published.ChangeSet.ReleaseNumber
		r.await(release, "posts", r.edge1)
		p.holds(release)
	}
}

// against has some new posts refer to an author, who is taken away, or with one the post is an old one that is edited.
func (r *racing) against(away func(ctx context.Context, project, entry, changeSet string) (wire.Staged, error), referrers int, post string) pair {
	r.t.Helper()
	set := r.set("Author")
	author := r.create(set, "authors", map[string]string{"name": "A"})
	if post != "" {
		r.patch(set, post, map[string]string{"author": author})
	}
	r.publish(set)
	set = r.set("Posts")
	if post != "" {
		r.patch(set, post, map[string]string{"title": "Edited"})
	} else {
		lines := strings.Repeat(fmt.Sprintf(`{"data":{"title":"Post","author":%q}}`, author)+"\n", referrers)
		_, err := r.api.ImportLines(r.t.Context(), r.project.Slug, "posts", strings.NewReader(lines), client.ImportOptions{ChangeSetID: set})
		r.check(err)
	}
	other := r.set("Away")
	_, err := away(r.t.Context(), r.project.Slug, author, other)
	r.check(err)
	return pair{
		set:  set,
		race: func() error { _, err := r.api.Publish(r.t.Context(), r.project.Slug, other); return err },
		holds: func(release uint64) {
			at := fmt.Sprintf("?at=%d", release)
			for path, what := range map[string]string{
				r.single("authors", author): "the author",
				r.list("posts"):             "the posts",
			} {
				query := at
				if what == "the posts" {
					query += "&limit=1&" + url.Values{"filter[author]": {author}}.Encode()
				}
				answer, err := r.edge1.Get(r.t.Context(), path+query)
				r.check(err)
				if answer.Status != http.StatusOK || what == "the posts" && strings.Contains(string(answer.Body), `"data":[]`) {
					r.t.Fatalf("release %d lacks %s: %s", release, what, answer)
				}
			}
		},
	}
}

// edit edits a post that refers to an author already.
func (r *racing) edit() pair {
	r.t.Helper()
	set := r.set("Post")
	post := r.create(set, "posts", map[string]string{"title": "Post"})
	r.publish(set)
	return r.against(r.api.DeleteEntry, 0, post)
}

// push makes a reference of a text that holds the id of an entry which is not published. A post that is published with it
// keeps the schema out, and the schema keeps the post from being published.
func (r *racing) push() pair {
	r.t.Helper()
	push := func(posts string) error {
		_, err := r.api.PushSchema(r.t.Context(), r.project.Slug, []jsontext.Value{jsontext.Value(racingAuthors), jsontext.Value(posts)}, true, "")
		return err
	}
	r.check(push(racingPosts))
	author := r.create(r.set("Author"), "authors", map[string]string{"name": "A"})
	set := r.set("Post")
	post := r.create(set, "posts", map[string]string{"title": "Post", "see": author})
	return pair{
		set: set, onlyOne: true,
		race: func() error {
			return push(strings.Replace(racingPosts, `"see":{"type":"text"}`, `"see":{"type":"reference","to":"authors"}`, 1))
		},
		holds: func(release uint64) {
			answer, err := r.edge1.Get(r.t.Context(), fmt.Sprintf("%s?at=%d", r.single("posts", post), release))
			r.check(err)
			if answer.Status != http.StatusOK {
				r.t.Fatalf("release %d: %s", release, answer)
			}
			r.away(post)
		},
	}
}

// away takes a post off again, so that the next push is not kept out.
func (r *racing) away(post string) {
	r.t.Helper()
	set := r.set("Away")
	_, err := r.api.DeleteEntry(r.t.Context(), r.project.Slug, post, set)
	r.check(err)
	r.publish(set)
}

// asset deletes the asset that a post names, as long as nothing that is published does.
func (r *racing) asset() pair {
	r.t.Helper()
	id := assettest.Insert(r.t, r.pool, content.ProjectID(r.project.ID), "image/png")
	set := r.set("Post")
	r.create(set, "posts", map[string]string{"title": "Post", "cover": string(id)})
	return pair{
		set: set, onlyOne: true,
		race: func() error {
			if !assettest.Delete(r.t, r.pool, id) {
				return errors.New("content names the asset")
			}
			return nil
		},
		holds: func(release uint64) {
			if state := assettest.State(r.t, r.pool, id); state != content.AssetPublished {
				r.t.Fatalf("release %d names an asset that is %s", release, state)
			}
		},
	}
}
