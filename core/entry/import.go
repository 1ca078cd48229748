package entry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
)

const (
	// MaxImportRows is how many rows one import takes.
	MaxImportRows = changeset.MaxItems

	chunkRows         = 500 // rows, or drafts, that share their round trips
	maxImportProblems = 200
)

// ImportRow is one entry to import. It is about the entry with its id, else about the one that has its slug: in the named
// change set, else published, else in another draft. Its data is laid over what is there, as in a patch. A row with neither
// changes no entry: it is skipped where an entry with the slug derived from it, or a numbered variant of that slug, has
// equal data, and makes an entry with the next free variant otherwise. An entry stands for one row of an import, so that
// equal rows stay several entries and importing a file again changes nothing. Without slugs such a row always makes an
// entry, but in a singleton, whose one item it is about.
type ImportRow struct {
	ID            content.EntryID // empty: matched by slug
	Slug          *string         // nil: as the data says, else derived from it
	Data          jsontext.Value  `json:",omitzero"`
	ChangeSummary string          // empty: that of the import
}

// ImportOptions say where an import goes.
type ImportOptions struct {
	ChangeSet     string // empty: by the targeting rules, row by row; entries in no set share a new one
	ChangeSummary string
	DryRun        bool // do everything but keep nothing
}

// Outcome is what became of a row.
type Outcome string

const (
	OutcomeCreated  Outcome = "created"
	OutcomeUpdated  Outcome = "updated"
	OutcomeSkipped  Outcome = "skipped"  // it says what is there already
	OutcomeConflict Outcome = "conflict" // it is not clear what it is about, or which set it joins; nothing was done
)

// ImportedRow is the result of one row.
type ImportedRow struct {
	Entry     content.EntryID // of a dry run, not for the created ones; empty where there is no telling
	Slug      *string
	Outcome   Outcome
	ChangeSet content.ChangeSetID // that it joined, or in a dry run would join; empty where it is new or the row staged nothing
	Conflict  *fault.Error        // why, with the candidates; nil but for OutcomeConflict
}

// Imported is what an import brought about.
type Imported struct {
	Created, Updated, Skipped, Conflicts int

	Rows       []ImportedRow         // in the order they came
	ChangeSets []content.ChangeSetID // those that rows joined, by id; none for a dry run
	ChangeSet  *changeset.ChangeSet  // the one that all of them joined; nil where there is none, or more than one
}

// errDiscard ends a transaction whose outcome is wanted and whose effects are not.
var errDiscard = errors.New("nothing is to be kept")

// Import stages many entries: all of them or none, apart from rows that are a conflict, which the others do not wait for.
// VALIDATION_FAILED lists what is wrong, with paths such as "entries[12].fields.title". More than MaxImportRows rows are
// PAYLOAD_TOO_LARGE. Rows are read to their end before the database is touched, so a slow caller holds nothing up.
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

// importRows is the transaction. What rows are about decides what is locked, so it is found before the locks, and again
// under them.
func importRows(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, collection string, in ImportOptions, spool *spool) (*Imported, error) {
	if spool.rows >= postgres.Bulk {
		if err := postgres.BeginBulk(ctx, tx); err != nil {
			return nil, err
		}
	}
	p, err := project.Get(ctx, tx, string(id))
	if err != nil {
		return nil, err
	}
	i := &importer{
		actor: actor, project: id, options: in, out: &Imported{}, pools: map[string]*pool{}, sets: map[content.ChangeSetID]*changeset.ChangeSet{},
		named: map[string]bool{}, moves: map[content.EntryID]string{}, spent: map[string]bool{}, done: map[content.EntryID]bool{},
	}
	if i.frame, err = loadFrame(ctx, tx, p, collection); err != nil {
		return nil, err
	}
	if err := i.identify(spool); err != nil {
		return nil, err
	}
	if err := i.aim(ctx, tx); err != nil {
		return nil, err
	}
	err = spool.chunks(chunkRows, func(first int, rows []spooled) error { return i.chunk(ctx, tx, first, rows) })
	if err != nil {
		return nil, err
	}
	if len(i.problems) > 0 {
		return nil, i.invalid()
	}
	if in.DryRun || i.out.Created+i.out.Updated == 0 {
		return i.out, errDiscard
	}
	i.out.ChangeSets = slices.Sorted(maps.Keys(i.sets))
	if len(i.sets) == 1 {
		i.out.ChangeSet = i.sets[i.out.ChangeSets[0]]
	}
	return i.out, nil
}

// importer stages the rows of one import.
type importer struct {
	actor   *access.Actor
	project content.ProjectID
	options ImportOptions
	frame   frame
	targets *changeset.Targets

	keys    []key // by row
	matches []match
	entries map[content.EntryID]*row // those that rows are about, locked

	pools map[string]*pool                             // by what slugs are derived from
	named map[string]bool                              // slugs that rows ask for
	moves map[content.EntryID]string                   // slugs that rows give the entries with their ids
	spent map[string]bool                              // slugs that rows of this import have taken
	done  map[content.EntryID]bool                     // entries that rows of this import stand for
	sets  map[content.ChangeSetID]*changeset.ChangeSet // that rows have joined

	out      *Imported
	problems []problem
}

// problem is what is wrong with a row.
type problem struct {
	row int
	fault.Item
}

// problem notes what is wrong with a row.
func (i *importer) problem(row int, items ...fault.Item) {
	for _, item := range items {
		if len(i.problems) < maxImportProblems {
			item.Path = strings.TrimSuffix(fmt.Sprintf("entries[%d].%s", row, item.Path), ".")
			i.problems = append(i.problems, problem{row, item})
		}
	}
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
