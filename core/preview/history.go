package preview

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"svc/shared/content"
)

// historyStep is how many revisions are read at once after the first, which is mostly the one that is wanted.
const historyStep = 50

// History implements read.View.
func (v *view) History(ctx context.Context, collection string, id content.EntryID, pin uint64, see func(fields []byte) bool) error {
	before, limit := min(v.at(pin), math.MaxInt64-1)+1, 1
	for {
		found, err := v.revisionsBefore(ctx, collection, id, before, limit)
		if err != nil {
			return failed(err, "reading the revisions of an entry")
		}
		for i := range found {
			if !see(found[i].fields) {
				return nil
			}
			before = found[i].release
		}
		if len(found) < limit {
			return nil
		}
		limit = historyStep
	}
}

type published struct {
	release int64
	fields  []byte
}

func (v *view) revisionsBefore(ctx context.Context, collection string, id content.EntryID, release int64, limit int) ([]published, error) {
	rows, err := v.tx.Query(ctx, `SELECT p.from_release, r.fields FROM publication p JOIN revision r ON r.id = p.revision_id
		WHERE p.project_id = $1 AND p.collection = $2 AND p.entry_id = $3 AND p.from_release < $4
		ORDER BY p.from_release DESC LIMIT $5`, string(v.project.ID), collection, string(id), release, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p published, err error) {
		return p, row.Scan(&p.release, &p.fields)
	})
}
