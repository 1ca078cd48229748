package entry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/postgres"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

const (
	// MaxImportRows is how many rows one import takes.
	MaxImportRows = changeset.MaxItems

	importChunk       = 500 // rows that share their round trips
	maxImportProblems = 200
)

// ImportRow is one entry to import. It is matched by id, else by its slug: that of an entry of the change set, of a
// published entry, or of one that was never published. Its data is laid over what is there, as in a patch.
type ImportRow struct {
	ID            content.EntryID // empty: matched by slug
	Slug          *string         // nil: as the data says, else derived from it
	Data          jsontext.Value
	ChangeSummary string // empty: that of the import
}

// ImportOptions say where an import goes.
type ImportOptions struct {
	ChangeSet     string // empty: a new set
	ChangeSummary string
	DryRun        bool // do everything but keep nothing
}

// Outcome is what became of a row.
type Outcome string

const (
	OutcomeCreated Outcome = "created"
	OutcomeUpdated Outcome = "updated"
	OutcomeSkipped Outcome = "skipped" // it says what is there already
)

// ImportedRow is the result of one row.
type ImportedRow struct {
	Entry   content.EntryID // of a dry run, not for the created ones
	Slug    *string
	Outcome Outcome
}

// Imported is what an import brought about.
type Imported struct {
	Created, Updated, Skipped int
	Rows                      []ImportedRow        // in the order they came
	ChangeSet                 *changeset.ChangeSet // nil for a dry run, and where a new set would be empty
}

// errDiscard ends a transaction whose outcome is wanted and whose effects are not.
var errDiscard = errors.New("nothing is to be kept")

// Import stages many entries in one change set, all of them or none: VALIDATION_FAILED lists what is wrong, with
// paths such as "entries[12].fields.title". More than MaxImportRows rows are PAYLOAD_TOO_LARGE. Rows are read to
// their end before the database is touched, so a slow caller holds nothing up.
func Import(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, collection string, in ImportOptions, rows iter.Seq2[ImportRow, error]) (*Imported, error) {
	if err := access.Confine(actor, collection); err != nil {
		return nil, err
	}
	if _, err := (Write{ChangeSummary: in.ChangeSummary}).check(); err != nil {
		return nil, err
	}
	spool, err := newSpool()
	if err != nil {
		return nil, err
	}
	defer spool.Close()
	if err := spool.fill(rows); err != nil {
		return nil, err
	}
	var out *Imported
	err = changeset.Write(ctx, pool, func(tx pgx.Tx) (err error) {
		out, err = importRows(ctx, tx, actor, id, collection, in, spool)
		return err
	})
	if err != nil && !errors.Is(err, errDiscard) {
		return nil, err
	}
	return out, nil
}

func importRows(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, collection string, in ImportOptions, spool *spool) (*Imported, error) {
	if spool.rows >= postgres.Bulk {
		if err := postgres.BeginBulk(ctx, tx); err != nil {
			return nil, err
		}
	}
	target, err := changeset.Aim(ctx, tx, actor, id, in.ChangeSet, "")
	if err != nil {
		return nil, err
	}
	set, err := schemadeploy.Load(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	deployed, err := set.Require(collection)
	if err != nil {
		return nil, err
	}
	i := &importer{
		actor: actor, target: target, frame: frameOf(target.Project, deployed), options: in, out: &Imported{},
		slugs: map[string]slugOwner{}, spent: map[string]bool{}, done: map[content.EntryID]bool{},
	}
	if deployed.Schema.Kind == schema.KindSingleton {
		if err := i.findSingleton(ctx, tx); err != nil {
			return nil, err
		}
	}
	if err := spool.chunks(importChunk, func(first int, rows []ImportRow) error { return i.chunk(ctx, tx, first, rows) }); err != nil {
		return nil, err
	}
	if len(i.problems) > 0 {
		return nil, i.invalid()
	}
	return i.finish()
}

// finish decides whether the outcome is kept.
func (i *importer) finish() (*Imported, error) {
	empty := i.options.ChangeSet == "" && i.out.Created+i.out.Updated == 0
	if !i.options.DryRun && !empty {
		i.out.ChangeSet = i.target.Set
		return i.out, nil
	}
	for n, r := range i.out.Rows {
		if r.Outcome == OutcomeCreated {
			i.out.Rows[n].Entry = ""
		}
	}
	return i.out, errDiscard
}

// findSingleton finds the item of a singleton, which the one row of an import is matched with.
func (i *importer) findSingleton(ctx context.Context, tx pgx.Tx) error {
	err := i.frame.claimSingleton(ctx, tx, i.target.Project.ID)
	var f *fault.Error
	if errors.As(err, &f) && f.Code == fault.Conflict {
		i.singleton = content.EntryID(f.EntryIDs[0])
		return nil
	}
	return err
}

// problem notes what is wrong with a row, and ends the import when there is too much.
func (i *importer) problem(row int, items ...fault.Item) {
	for _, item := range items {
		if len(i.problems) < maxImportProblems {
			item.Path = strings.TrimSuffix(fmt.Sprintf("entries[%d].%s", row, item.Path), ".")
			i.problems = append(i.problems, problem{row, item})
		}
	}
}

// problem is what is wrong with a row.
type problem struct {
	row int
	fault.Item
}

// invalid is the fault about everything that is wrong, in the order of the rows.
func (i *importer) invalid() error {
	slices.SortStableFunc(i.problems, func(a, b problem) int { return cmp.Compare(a.row, b.row) })
	items := make([]fault.Item, len(i.problems))
	for n, p := range i.problems {
		items[n] = p.Item
	}
	return invalid(items)
}
