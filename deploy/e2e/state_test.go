package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/bench/node"
	"svc/core/changelog"
	"svc/core/client"
	"svc/replication/record"
)

// agree waits until edges hold what core holds of the project: position and state hash of its log, and then what they
// answer on a sample, byte for byte.
func (b *bed) agree(collections []string, edges ...node.Node) {
	b.t.Helper()
	b.until(func(ctx context.Context) error {
		at, sum, err := b.truth(ctx)
		if err != nil {
			return err
		}
		fleet, err := b.api.Edges(ctx)
		if err != nil {
			return err
		}
		for _, edge := range edges {
			if err := stands(fleet, edge.Name, b.project.ID, at, sum); err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range collections {
		b.sample(c, append(edges, b.core))
	}
}

// truth is where core's database has the project's log, and the hash of its state.
func (b *bed) truth(ctx context.Context) (record.Position, record.StateSum, error) {
	pool, err := pgxpool.New(ctx, b.stack.ServiceURL("postgres"))
	if err != nil {
		return record.Position{}, record.StateSum{}, err
	}
	defer pool.Close()
	return changelog.NewSource(pool, slog.New(slog.DiscardHandler)).StateHash(ctx, b.project.ID)
}

func stands(fleet []client.Edge, name, log string, at record.Position, sum record.StateSum) error {
	for _, edge := range fleet {
		if edge.ID != name {
			continue
		}
		for _, l := range edge.Logs {
			if l.Log != log {
				continue
			}
			if l.Epoch != at.Epoch || l.Seq != at.Seq || l.StateHash != sum.String() || l.Alarm != "" {
				return fmt.Errorf("%s reports epoch %d, sequence %d, state %s, alarm %q; core has %d, %d, %s",
					name, l.Epoch, l.Seq, l.StateHash, l.Alarm, at.Epoch, at.Seq, sum)
			}
			return nil
		}
		return fmt.Errorf("%s does not report the log %s", name, log)
	}
	return fmt.Errorf("%s reports nothing", name)
}

// sample compares the whole list of a collection, at the head and at the first release, and some of its entries.
func (b *bed) sample(collection string, nodes []node.Node) {
	b.t.Helper()
	for _, at := range []string{"", "1"} {
		query := url.Values{"limit": {"40"}}
		if at != "" {
			query.Set("at", at)
		}
		b.check(nodes[0].Walk(b.t.Context(), b.project.Slug, collection, query, func(first node.Answer, page node.Page) error {
			answers, err := node.Ask(b.t.Context(), nodes, first.Path)
			if err != nil {
				return err
			}
			faults := []error{node.Same(answers)}
			for i := 0; i < len(page.Entries); i += 7 {
				answers, err := node.Ask(b.t.Context(), nodes, b.single(collection, page.Entries[i].ID))
				if err != nil {
					return err
				}
				faults = append(faults, node.Same(answers))
			}
			return errors.Join(faults...)
		}))
	}
}
