package api

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/go-json-experiment/json"

	"svc/core/entry"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/value"
)

const typeLines = "application/x-ndjson"

// importEntries takes {entries, changeSetId?, changeSummary?, dryRun?} as JSON, or one entry a line as
// application/x-ndjson with the options as parameters. Lines are read as they come.
func importEntries(c *call) (wire.Imported, error) {
	if c.streams() {
		return c.importLines()
	}
	if c.requireType(typeJSON) != nil {
		return wire.Imported{}, fault.New(fault.UnsupportedMediaType, "an import is %s or %s, not %q", typeJSON, typeLines, c.gin.GetHeader("Content-Type"))
	}
	for name := range c.query {
		return wire.Imported{}, fault.Invalid(name, "goes into the body of a JSON import; parameters are for %s", typeLines)
	}
	var in wire.Import
	if err := c.bind(&in); err != nil {
		return wire.Imported{}, err
	}
	if in.Entries == nil {
		return wire.Imported{}, fault.Invalid("entries", "is missing: give the list of entries to import")
	}
	set, err := named("changeSetId", in.ChangeSetID)
	if err != nil {
		return wire.Imported{}, err
	}
	options := entry.ImportOptions{ChangeSet: set, ChangeSummary: in.ChangeSummary, DryRun: deref(in.DryRun.Value)}
	return c.runImport(options, func(yield func(entry.ImportRow, error) bool) {
		for i, row := range in.Entries {
			if !yield(parseRow(row, i)) {
				return
			}
		}
	})
}

// streams reports whether the body is one that is read as it comes.
func (c *call) streams() bool { return c.route.do.body == ownBody && c.requireType(typeLines) == nil }

func (c *call) importLines() (wire.Imported, error) {
	done, err := c.server.imports.take(c.actor.ID)
	if err != nil {
		return wire.Imported{}, err
	}
	defer done()
	options := entry.ImportOptions{ChangeSet: c.query.Get("changeSetId"), ChangeSummary: c.query.Get("changeSummary")}
	if text := c.query.Get("dryRun"); text != "" {
		if text != "true" && text != "false" {
			return wire.Imported{}, fault.Invalid("dryRun", "must be true or false")
		}
		options.DryRun = text == "true"
	}
	if c.gin.Request.ContentLength > streamLimit {
		return wire.Imported{}, tooLarge(streamLimit)
	}
	return c.runImport(options, c.lines())
}

// lines reads one row a line; empty lines are passed over.
func (c *call) lines() iter.Seq2[entry.ImportRow, error] {
	return func(yield func(entry.ImportRow, error) bool) {
		source := &failing{Reader: http.MaxBytesReader(c.gin.Writer, c.gin.Request.Body, streamLimit)}
		scanner := bufio.NewScanner(source)
		scanner.Buffer(make([]byte, 64<<10), entryLimit)
		for i, first := 0, true; scanner.Scan(); first = false {
			if source.err != nil { // or half a line would pass for a whole one
				break
			}
			line := scanner.Bytes()
			if first {
				line = value.TrimBOM(line)
			}
			line = bytes.TrimSpace(line)
			if len(line) == 0 {
				continue
			}
			if !yield(parseLine(line, i)) {
				return
			}
			i++
		}
		if err := cmp.Or(source.err, scanner.Err()); err != nil {
			yield(entry.ImportRow{}, lineFault(err))
		}
	}
}

// failing remembers what ended a reader before its end.
type failing struct {
	io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

func parseLine(line []byte, i int) (entry.ImportRow, error) {
	path := fmt.Sprintf("entries[%d]", i)
	strict, err := value.ParseObject(line, path)
	if err != nil {
		return entry.ImportRow{}, err
	}
	var row wire.ImportRow
	if err := json.Unmarshal(strict, &row, json.RejectUnknownMembers(true)); err != nil {
		return entry.ImportRow{}, within(path, decodeFault(err))
	}
	return parseRow(row, i)
}

func parseRow(r wire.ImportRow, i int) (entry.ImportRow, error) {
	out := entry.ImportRow{Slug: r.Slug, Data: r.Data, ChangeSummary: r.ChangeSummary}
	if r.ID == nil {
		return out, nil
	}
	id, err := idAt[content.EntryID](fmt.Sprintf("entries[%d].id", i), *r.ID)
	out.ID = id
	return out, err
}

// within puts a place before the paths of a fault.
func within(place string, err error) error {
	f := fault.As(err)
	for i := range f.Items {
		f.Items[i].Path = place + "." + f.Items[i].Path
	}
	if len(f.Items) > 0 {
		f.Detail = f.Items[0].Path + ": " + f.Items[0].Message
	}
	return f
}

func lineFault(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return fault.New(fault.PayloadTooLarge, "a line is larger than %d MiB", entryLimit>>20)
	}
	return bodyFault(err, streamLimit)
}

func rowErrorOf(f *fault.Error) *wire.RowError {
	if f == nil {
		return nil
	}
	return &wire.RowError{Code: string(f.Code), Detail: f.Detail, Entries: f.EntryIDs, ChangeSets: f.ChangeSetIDs}
}

func (c *call) runImport(options entry.ImportOptions, rows iter.Seq2[entry.ImportRow, error]) (wire.Imported, error) {
	done, err := entry.Import(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("collection"), options, rows)
	if err != nil {
		return wire.Imported{}, err
	}
	out := wire.Imported{ChangeSets: done.ChangeSets, Created: done.Created, Updated: done.Updated, Unchanged: done.Skipped, Conflicts: done.Conflicts}
	if done.ChangeSet != nil {
		out.ChangeSet = &done.ChangeSet.ID
	}
	for _, row := range done.Rows {
		out.Entries = append(out.Entries, wire.ImportedRow{Entry: orNull(row.Entry), Slug: row.Slug, Outcome: string(row.Outcome), ChangeSet: orNull(row.ChangeSet), Error: rowErrorOf(row.Conflict)})
	}
	return out, nil
}
