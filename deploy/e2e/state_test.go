package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/bench/node"
	"svc/core/changelog"
	"svc/core/wire"
	"svc/deploy/local"
	"svc/replication/record"
)

// agree waits until edges hold what core holds of the project: epoch, sequence, chain and state hash of its log, and
// then what they answer on a sample, byte for byte.
func (b *bed) agree(collections []string, edges ...node.Node) {
	b.t.Helper()
	b.level(string(b.project.ID), edges...)
	for _, c := range collections {
		b.sample(c, append(edges, b.core))
	}
}

// level waits until edges hold of a log what core holds, and returns where that is.
func (b *bed) level(log string, edges ...node.Node) (at record.Position) {
	b.t.Helper()
	pool := b.database()
	defer pool.Close()
	source := changelog.NewSource(pool, nil, slog.New(slog.DiscardHandler))
	b.until(func(ctx context.Context) (err error) {
		var sum record.StateSum
		if at, sum, err = source.StateHash(ctx, log); err != nil {
			return err
		}
		fleet, err := b.api.Edges(ctx)
		if err != nil {
			return err
		}
		for _, edge := range edges {
			if err := stands(fleet, edge.Name, log, at, sum); err != nil {
				return err
			}
		}
		return nil
	})
	return at
}

// database opens core's database, behind the back of everything that uses it.
func (b *bed) database() *pgxpool.Pool {
	b.t.Helper()
	pool, err := pgxpool.New(b.t.Context(), b.stack.ServiceURL(local.Postgres))
	b.check(err)
	return pool
}

func stands(fleet []wire.Edge, name, log string, at record.Position, sum record.StateSum) error {
	for _, edge := range fleet {
		if edge.ID != name {
			continue
		}
		for _, l := range edge.Logs {
			if l.Log != log {
				continue
			}
			if l.Epoch != at.Epoch || l.Seq != at.Seq || l.Chain != at.Chain.String() || l.StateHash != sum.String() || l.Alarm != nil {
				return fmt.Errorf("%s reports position %d.%d.%s, state %s, alarm %v; core has %s, %s",
					name, l.Epoch, l.Seq, l.Chain, l.StateHash, l.Alarm, at, sum)
			}
			return nil
		}
		return fmt.Errorf("%s does not report the log %s", name, log)
	}
	return fmt.Errorf("%s reports nothing", name)
}

// sample compares the list of a collection: all of it at the head, its first pages at ten releases, and some of its entries;
// and lists with filters and orders at the head and at two of the releases.
func (b *bed) sample(collection string, nodes []node.Node) {
	b.t.Helper()
	b.compare(collection, nodes, url.Values{"limit": {"40"}}, math.MaxInt)
	releases, err := b.api.Releases(b.t.Context(), b.project.Slug)
	b.check(err)
	b.compareFiltered(collection, nodes, url.Values{"limit": {"15"}})
	for n, i := range spread(uint64(len(releases)), 10) {
		pin := releases[uint64(len(releases))-i].Number
		b.compare(collection, nodes, url.Values{"limit": {"40"}, "at": {strconv.FormatUint(pin, 10)}}, 5)
		if n%5 == 2 {
			b.compareFiltered(collection, nodes, url.Values{"limit": {"15"}, "at": {strconv.FormatUint(pin, 10)}})
		}
	}
}

// compare walks a list of so many pages at most, asking every node for every page.
func (b *bed) compare(collection string, nodes []node.Node, query url.Values, pages int) {
	b.t.Helper()
	enough := errors.New("enough pages")
	suffix := ""
	if at := query.Get("at"); at != "" {
		suffix = "?at=" + at
	}
	err := nodes[0].Walk(b.t.Context(), b.project.Slug, collection, query, func(first node.Answer, page node.Page) error {
		answers, err := node.Ask(b.t.Context(), nodes, first.Path)
		if err != nil {
			return err
		}
		faults := []error{node.Same(answers)}
		for i := 0; i < len(page.Entries); i += 7 {
			answers, err := node.Ask(b.t.Context(), nodes, b.single(collection, page.Entries[i].ID)+suffix)
			if err != nil {
				return err
			}
			faults = append(faults, node.Same(answers))
		}
		if err := errors.Join(faults...); err != nil {
			return err
		}
		if pages--; pages == 0 {
			return enough
		}
		return nil
	})
	if err != enough {
		b.check(err)
	}
}

// spread is the first and the last of so many releases and others between, so many in all at most.
func spread(head uint64, most int) []uint64 {
	var pins []uint64
	for i := range uint64(most) {
		pin := 1 + i*(head-1)/uint64(most-1)
		if head > 0 && (len(pins) == 0 || pins[len(pins)-1] != pin) {
			pins = append(pins, pin)
		}
	}
	return pins
}
