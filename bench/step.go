package bench

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"svc/core/client"
)

const items = "items"

func itemsSchema() jsontext.Value {
	return jsontext.Value(`{"name":"items","kind":"collection","visibility":"public","fields":{
		"name":{"type":"text","required":true},"slug":{"type":"slug","from":"name"},
		"generation":{"type":"number","integer":true},"note":{"type":"text"}}}`)
}

// item is an entry's content.
type item struct {
	Name       string `json:"name"`
	Slug       string `json:"slug"`
	Generation int    `json:"generation"`
	Note       string `json:"note"`
}

func itemAt(number, generation int) item {
	return item{
		Name: fmt.Sprintf("Item %06d", number), Slug: fmt.Sprintf("item-%06d", number), Generation: generation,
		Note: strings.Repeat(fmt.Sprintf("item %d as of generation %d. ", number, generation), 6),
	}
}

// edition is everything that one release holds, in the order of lists.
type edition struct {
	ids    []string // newest first
	byID   map[string]item
	bySlug map[string]string
}

func editionOf(byID map[string]item) *edition {
	e := &edition{byID: byID, bySlug: map[string]string{}}
	for id, i := range byID {
		e.ids = append(e.ids, id)
		e.bySlug[i.Slug] = id
	}
	slices.SortFunc(e.ids, func(a, b string) int { return strings.Compare(b, a) })
	return e
}

// step publishes one release of 10,000 items while readers on both edges hold every answer against the two releases.
func step(ctx context.Context, b *Bench) error {
	size := b.sized(10_000, 1_000)
	project, err := b.project(ctx)
	if err != nil {
		return err
	}
	if _, err := b.client.PushSchema(ctx, project, []jsontext.Value{itemsSchema()}, false, ""); err != nil {
		return err
	}
	before, err := b.firstEdition(ctx, project, size)
	if err != nil {
		return err
	}
	set, after, err := b.secondEdition(ctx, project, before, size)
	if err != nil {
		return err
	}
	if err := b.awaitHead(ctx, b.edges(), project, items, 1, time.Minute); err != nil {
		return err
	}
	crowd := newCrowd(b.edges(), project, map[uint64]*edition{1: editionOf(before), 2: editionOf(after)}, b.sized(10_000, 1_500))
	return b.crossing(ctx, crowd, project, set, size)
}

// crossing publishes while the crowd reads, and lets it read on until everyone has seen enough of both releases.
func (b *Bench) crossing(ctx context.Context, crowd *crowd, project, set string, size int) error {
	group, ctx := errgroup.WithContext(ctx)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	crowd.start(reading, group)
	group.Go(func() error {
		defer stop()
		if err := crowd.await(ctx, func(g *readerGroup) bool { return g.reads.Load() >= int64(crowd.enough/10) }); err != nil {
			return err
		}
		began := time.Now()
		if _, err := b.client.Publish(ctx, project, set); err != nil {
			return err
		}
		answered := time.Now()
		err := crowd.await(ctx, func(g *readerGroup) bool {
			return g.reads.Load() >= int64(crowd.enough) && g.later.Load() >= int64(crowd.enough/10)
		})
		if err != nil {
			return err
		}
		return b.reportStep(ctx, crowd, project, size, began, answered)
	})
	return group.Wait()
}

func (b *Bench) reportStep(ctx context.Context, crowd *crowd, project string, size int, began, answered time.Time) error {
	release, err := b.client.Release(ctx, project, 2)
	if err != nil {
		return err
	}
	if release.ItemCount != size {
		return fmt.Errorf("release 2 has %d items, not %d", release.ItemCount, size)
	}
	b.Report.add("items of the release", float64(size), Count).noted("85%% updates, 7.5%% creations, 7.5%% deletions")
	b.Report.add("publish", answered.Sub(began).Seconds(), Seconds).atMost(15)
	for _, edge := range b.edges() {
		// The release's time is taken shortly before the commit, so this is more than the time since the commit.
		seen := crowd.seen(edge.Name)
		b.Report.add("commit to visible on "+edge.Name, seen.Sub(release.PublishedAt).Seconds(), Seconds).atMost(5).
			noted("%+.0f ms from the publish response", milliseconds(seen.Sub(answered)))
	}
	for _, g := range crowd.groups {
		b.Report.add(fmt.Sprintf("%s on %s, each of one release", g.kind, g.node.Name), float64(g.reads.Load()), Count).
			noted("%d during the publish, %d of release 2", g.during.Load(), g.later.Load())
	}
	return nil
}

// firstEdition publishes release 1: all items at generation 1.
func (b *Bench) firstEdition(ctx context.Context, project string, size int) (map[string]item, error) {
	b.say("publishing %d items", size)
	var rows []item
	for n := range size {
		rows = append(rows, itemAt(n, 1))
	}
	made, err := b.importItems(ctx, project, rows, "")
	if err != nil {
		return nil, err
	}
	if _, err := b.client.Publish(ctx, project, made.ChangeSetID); err != nil {
		return nil, err
	}
	byID := map[string]item{}
	for i, row := range made.Entries {
		byID[row.ID] = rows[i]
	}
	return byID, nil
}

// secondEdition stages release 2, which has as many items: of the entries of release 1 most are updated, some deleted, a
// few left alone, and some are new.
func (b *Bench) secondEdition(ctx context.Context, project string, before map[string]item, size int) (set string, after map[string]item, err error) {
	b.say("staging %d changes", size)
	updated, created := size*85/100, size*75/1000
	deleted := size - updated - created
	var rows []item
	for n := range updated {
		rows = append(rows, itemAt(n, 2))
	}
	for n := range created {
		rows = append(rows, itemAt(size+n, 2))
	}
	made, err := b.importItems(ctx, project, rows, "")
	if err != nil {
		return "", nil, err
	}
	after = map[string]item{}
	for id, i := range before {
		after[id] = i
	}
	for i, row := range made.Entries {
		after[row.ID] = rows[i]
	}
	bySlug := editionOf(before).bySlug
	for n := updated; n < updated+deleted; n++ {
		id := bySlug[itemAt(n, 1).Slug]
		if _, err := b.client.DeleteEntry(ctx, project, id, made.ChangeSetID); err != nil {
			return "", nil, err
		}
		delete(after, id)
	}
	return made.ChangeSetID, after, nil
}

func (b *Bench) importItems(ctx context.Context, project string, rows []item, set string) (client.Imported, error) {
	var lines bytes.Buffer
	for _, row := range rows {
		if err := json.MarshalWrite(&lines, map[string]item{"data": row}); err != nil {
			return client.Imported{}, err
		}
		lines.WriteByte('\n')
	}
	made, err := b.client.ImportLines(ctx, project, items, &lines, client.ImportOptions{ChangeSetID: set})
	if err == nil && len(made.Entries) != len(rows) {
		err = fmt.Errorf("the import answers with %d of %d rows", len(made.Entries), len(rows))
	}
	return made, err
}
