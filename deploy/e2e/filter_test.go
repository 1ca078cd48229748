package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"svc/bench/node"
	"svc/core/client"
	"svc/deploy/local/localtest"
)

// TestFiltersAndOrdersFollowDeployments: while somebody publishes, a field goes, comes back as another type, goes and comes
// back again, another becomes localized, and the locales change. After each step both edges and core find what is there, and
// all the time they answer the same for every release, page by page.
func TestFiltersAndOrdersFollowDeployments(t *testing.T) {
	f := newFilterLoad(newBed(t), localtest.Random(t))
	ended, over := context.WithCancel(t.Context())
	group, ctx := errgroup.WithContext(ended)
	group.Go(func() error { return whileOpen(ctx, f.publish) })
	for range 2 {
		random := rand.New(rand.NewPCG(f.random.Uint64(), 0))
		group.Go(func() error { return whileOpen(ctx, func(ctx context.Context) error { return f.past(ctx, random) }) })
	}
	f.steps()
	over()
	f.check(group.Wait())
	t.Logf("%d releases; %d pages of releases were compared while they landed", f.newest.Load(), f.pages.Load())
	if f.pages.Load() < 100 {
		t.Error("that is too little to tell anything")
	}
	f.agree([]string{"posts"}, f.edges()...)
	f.fromNothing("edge-2")
	f.agree([]string{"posts"}, f.edges()...)
	f.comparePast()
}

const (
	filterEntries = 60
	filterOthers  = 5 // entries that are published all the time and have neither kind nor rank
)

// filterLoad is a project whose fields change.
type filterLoad struct {
	*bed
	random   *rand.Rand
	ids      []string
	others   []string
	edits    int
	fallback string // the default locale

	landing sync.Mutex    // held by whoever publishes, and by whoever looks at the head
	newest  atomic.Uint64 // the newest release that every node has
	pages   atomic.Int64
}

func newFilterLoad(b *bed, random *rand.Rand) *filterLoad {
	f := &filterLoad{bed: b, random: random}
	f.settings([]string{"en", "de"}, "en")
	f.push(textKind, numberRank)
	set := b.set("Posts")
	for n := range filterEntries {
		data := map[string]any{"title": fmt.Sprintf("Post %02d", n), "day": fmt.Sprintf("2026-%02d-%02d", 1+n%12, 1+n%28)}
		if n%6 > 0 {
			data["kind"] = fmt.Sprint("k", n%6)
		}
		if n%10 > 0 {
			data["rank"] = jsontext.Value(fmt.Sprintf("%d.%d", n%10, n%2*5))
		}
		f.ids = append(f.ids, b.create(set, "posts", data))
	}
	for n := range filterOthers {
		f.others = append(f.others, b.create(set, "posts", map[string]any{"title": fmt.Sprint("Other ", n)}))
	}
	f.land(b.publish(set))
	return f
}

// push deploys the posts with a title, a day, and these fields.
func (f *filterLoad) push(fields ...string) {
	f.t.Helper()
	c := `{"name":"posts","visibility":"public","fields":{"title":{"type":"text","required":true},"day":{"type":"date"},` +
		strings.Join(fields, ",") + `}}`
	_, err := f.api.PushSchema(f.t.Context(), f.project.Slug, []jsontext.Value{jsontext.Value(c)}, true, "")
	f.check(err)
}

func (f *filterLoad) settings(locales []string, fallback string) {
	f.t.Helper()
	f.fallback = fallback
	_, err := f.api.UpdateProject(f.t.Context(), f.project.Slug, map[string]any{"locales": locales, "defaultLocale": fallback})
	f.check(err)
}

// land waits until every node has a release.
func (f *filterLoad) land(release uint64) {
	f.t.Helper()
	f.await(release, "posts", f.nodes()...)
	f.newest.Store(max(f.newest.Load(), release))
}

// publish publishes an edit of one of the others.
func (f *filterLoad) publish(ctx context.Context) error {
	f.landing.Lock()
	defer f.landing.Unlock()
	set, err := f.api.CreateChangeSet(ctx, f.project.Slug, "Edit", "")
	if err != nil {
		return err
	}
	f.edits++
	patch := client.Patch{Data: map[string]string{"title": fmt.Sprint("Other ", f.edits)}, ChangeSetID: set.ID}
	if _, err := f.api.PatchEntry(ctx, f.project.Slug, f.others[f.edits%filterOthers], patch); err != nil {
		return err
	}
	out, err := f.api.Publish(ctx, f.project.Slug, set.ID)
	if err != nil {
		return err
	}
	if err := node.Await(ctx, f.nodes(), f.project.Slug, "posts", *out.ChangeSet.ReleaseNumber); err != nil {
		return err
	}
	f.newest.Store(*out.ChangeSet.ReleaseNumber)
	return nil
}

// edit publishes changes to the posts; nil leaves one as it is.
func (f *filterLoad) edit(data func(n int) map[string]any) {
	f.t.Helper()
	f.landing.Lock()
	defer f.landing.Unlock()
	set := f.set("Edit")
	for n, id := range f.ids {
		if d := data(n); d != nil {
			f.patch(set, id, d)
		}
	}
	f.land(f.bed.publish(set))
}

// past compares a list at a release that is out.
func (f *filterLoad) past(ctx context.Context, random *rand.Rand) error {
	query := drawnQuery(random)
	query.Set("at", fmt.Sprint(1+random.Uint64N(f.newest.Load())))
	n, err := pagesAlike(ctx, f.nodes(), f.list("posts"), query)
	f.pages.Add(int64(n))
	return err
}

// comparePast compares lists at the releases between which something was deployed, and at others.
func (f *filterLoad) comparePast() {
	f.t.Helper()
	for range 60 {
		f.check(f.past(f.t.Context(), f.random))
	}
}

var filterQueries = []string{
	"filter[kind]=k1", "filter[kind][ne]=k1&order=-rank", "filter[kind][in]=k1,k2,k9&order=kind", "filter[rank][gte]=3&filter[rank][lt]=7.5",
	"filter[rank]=r3", "filter[rank]=3.50", "order=rank", "order=-rank&filter[kind][exists]=true", "order=-kind", "order=kind",
	"filter[rank][exists]=false&order=-day", "filter[day][gt]=2026-03-01&order=day", "filter[kind][gt]=k2&filter[kind][lte]=k4", "order=title",
}

func drawnQuery(random *rand.Rand) url.Values {
	query, err := url.ParseQuery(filterQueries[random.IntN(len(filterQueries))])
	if err != nil {
		panic(err)
	}
	if locale := []string{"", "en", "de"}[random.IntN(3)]; locale != "" {
		query.Set("locale", locale)
	}
	query.Set("limit", fmt.Sprint(4+random.IntN(30)))
	return query
}

// pagesAlike walks a list, asking every node for every page, and returns how many there were: all answer the same, and each takes
// the cursors that all of them give. A list that all of them refuse has one page.
func pagesAlike(ctx context.Context, nodes []node.Node, list string, query url.Values) (int, error) {
	for n := 1; ; n++ {
		answers, err := node.Ask(ctx, nodes, list+"?"+query.Encode())
		if err != nil {
			return n, err
		}
		if err := node.Same(answers); err != nil || answers[0].Status == http.StatusBadRequest {
			return n, err
		}
		page, err := answers[0].Page()
		if err != nil || page.Next == "" {
			return n, err
		}
		query.Set("cursor", page.Next)
	}
}

// walksAlike is pagesAlike for a list that has several pages.
func (b *bed) walksAlike(list, query string) {
	b.t.Helper()
	values, err := url.ParseQuery(query)
	b.check(err)
	n, err := pagesAlike(b.t.Context(), b.nodes(), list, values)
	b.check(err)
	if n < 2 {
		b.t.Errorf("%s?%s has one page", list, query)
	}
}

func titleOf(e node.Entry) string {
	var fields struct {
		Title string `json:"title"`
	}
	if json.Unmarshal(e.Fields, &fields) != nil {
		return strings.TrimSpace(string(e.Fields))
	}
	return fields.Title
}
