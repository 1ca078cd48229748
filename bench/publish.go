package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// peer is another service that publishes many entries in one call, and how many milliseconds that took there by the number of
// entries: Directus 12.4, Strapi 5.54, Payload 3.90 and PocketBase 0.39 on two cores with PostgreSQL 15 (PocketBase with its own
// SQLite), in production mode, each published over its HTTP interface.
type peer struct {
	name string
	took map[int]float64
}

var publishPeers = []peer{
	{"Directus", map[int]float64{1: 14, 100: 170, 1_000: 1_094}},
	{"Strapi", map[int]float64{1: 36, 100: 708, 1_000: 6_563}},
	{"Payload", map[int]float64{1: 25, 100: 371, 1_000: 2_974}},
	{"PocketBase (an update only)", map[int]float64{1: 2, 100: 47, 1_000: 476}},
}

// overDirectus is how much longer than Directus a publish may take, which validates more and keeps history.
const overDirectus = 1.5

// publishSize is a number of entries, and how often that many are imported and published.
type publishSize struct{ entries, rounds int }

func (c Config) publishSizes() []publishSize {
	if c.Quick {
		return []publishSize{{1, 3}, {100, 3}, {500, 1}}
	}
	return []publishSize{{1, 9}, {100, 9}, {500, 5}, {1_000, 3}, {10_000, 1}}
}

// publish imports and publishes sets of new entries, in a database that has nothing in it and in one that has a corpus.
func publish(ctx context.Context, b *Bench) error {
	project, err := b.project(ctx)
	if err != nil {
		return err
	}
	if _, err := b.client.PushSchema(ctx, project, []jsontext.Value{articlesSchema()}, false, ""); err != nil {
		return err
	}
	c := &corpus{project: project}
	if err := b.publishes(ctx, c, "empty"); err != nil {
		return err
	}
	b.progress("publishing up to %s entries", thousands(b.corpusSize()))
	for len(c.slugs) < b.corpusSize() {
		if _, _, err := b.publishOnce(ctx, c, min(b.corpusEach(), b.corpusSize()-len(c.slugs))); err != nil {
			return err
		}
	}
	return b.publishes(ctx, c, thousands(b.corpusSize())+" entries")
}

// publishes measures each size; times are medians.
func (b *Bench) publishes(ctx context.Context, c *corpus, database string) error {
	before := map[string]float64{} // milliseconds an entry took in the size before
	for _, size := range b.publishSizes() {
		b.progress("%s: %s entries, %d times", database, thousands(size.entries), size.rounds)
		var imports, publishes []float64
		for range size.rounds {
			imported, published, err := b.publishOnce(ctx, c, size.entries)
			if err != nil {
				return err
			}
			imports, publishes = append(imports, milliseconds(imported)), append(publishes, milliseconds(published))
		}
		b.publishFigure(database, "import", size.entries, percentile(imports, 0.5), before)
		took := percentile(publishes, 0.5)
		figure := b.publishFigure(database, "publish", size.entries, took, before)
		var others []string
		for _, p := range publishPeers {
			if theirs, measured := p.took[size.entries]; measured {
				others = append(others, fmt.Sprintf("%s %.0f ms", p.name, theirs))
			}
		}
		if len(others) > 0 {
			figure.Note += "; " + strings.Join(others, ", ")
			figure.atMost(overDirectus * publishPeers[0].took[size.entries])
		}
	}
	return nil
}

// aStep is how many times as long an entry takes at most as at the size before. Between medians of the same cost lies up to a fifth.
const aStep = 1.25

// publishFigure adds a figure, and from 500 entries on what an entry takes against the size before.
func (b *Bench) publishFigure(database, what string, entries int, took float64, before map[string]float64) *Figure {
	each := took / float64(entries)
	if entries >= 500 {
		b.Report.add(fmt.Sprintf("%s: %s an entry of %s, against the size before", database, what, thousands(entries)), each/before[what], Ratio).atMost(aStep)
	}
	before[what] = each
	return b.Report.add(fmt.Sprintf("%s: %s %s", database, what, thousands(entries)), took, Milliseconds).noted("%.2f ms an entry", each)
}

// publishOnce imports and publishes so many new entries, and waits until the edges serve them: they shall not be busy with
// them while the next ones are measured.
func (b *Bench) publishOnce(ctx context.Context, c *corpus, n int) (imported, published time.Duration, err error) {
	rows := slices.Collect(articlesFrom(len(c.slugs), n)) // made before the time runs
	began := time.Now()
	set, err := importRows(ctx, b, c, slices.Values(rows))
	if err != nil {
		return 0, 0, err
	}
	imported, began = time.Since(began), time.Now()
	if err := c.publish(ctx, b.client, set); err != nil {
		return 0, 0, err
	}
	published = time.Since(began)
	return imported, published, b.awaitSettled(ctx, c.project, articles, c.releases, time.Minute)
}
