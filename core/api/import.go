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
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/entry"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/value"
)

const typeLines = "application/x-ndjson"

type importRow struct {
	ID            *string        `json:"id"`
	Slug          *string        `json:"slug"`
	Data          jsontext.Value `json:"data"`
	ChangeSummary string         `json:"changeSummary"`
}

type importBody struct {
	Entries       []importRow    `json:"entries"`
	ChangeSetID   *string        `json:"changeSetId"`
	ChangeSummary string         `json:"changeSummary"`
	DryRun        optional[bool] `json:"dryRun"`
}

// importEntries takes {entries, changeSetId?, changeSummary?, dryRun?} as JSON, or one entry a line as
// application/x-ndjson with the options as parameters. Lines are read as they come.
func importEntries(c *call) (importedBody, error) {
	if c.streams() {
		return c.importLines()
	}
	if c.requireType(typeJSON) != nil {
		return importedBody{}, fault.New(fault.UnsupportedMediaType, "an import is %s or %s, not %q", typeJSON, typeLines, c.gin.GetHeader("Content-Type"))
	}
	for name := range c.query {
		return importedBody{}, fault.Invalid(name, "goes into the body of a JSON import; parameters are for %s", typeLines)
	}
	var in importBody
	if err := c.bind(&in); err != nil {
		return importedBody{}, err
	}
	if in.Entries == nil {
		return importedBody{}, fault.Invalid("entries", "is missing: give the list of entries to import")
	}
	set, err := named("changeSetId", in.ChangeSetID)
	if err != nil {
		return importedBody{}, err
	}
	options := entry.ImportOptions{ChangeSet: set, ChangeSummary: in.ChangeSummary, DryRun: deref(in.DryRun.value)}
	return c.runImport(options, func(yield func(entry.ImportRow, error) bool) {
		for i, row := range in.Entries {
			if !yield(row.parse(i)) {
				return
			}
		}
	})
}

// streams reports whether the body is one that is read as it comes.
func (c *call) streams() bool { return c.route.do.body == ownBody && c.requireType(typeLines) == nil }

func (c *call) importLines() (importedBody, error) {
	done, err := c.server.imports.take(c.actor.ID)
	if err != nil {
		return importedBody{}, err
	}
	defer done()
	options := entry.ImportOptions{ChangeSet: c.query.Get("changeSetId"), ChangeSummary: c.query.Get("changeSummary")}
	if text := c.query.Get("dryRun"); text != "" {
		if text != "true" && text != "false" {
			return importedBody{}, fault.Invalid("dryRun", "must be true or false")
		}
		options.DryRun = text == "true"
	}
	if c.gin.Request.ContentLength > streamLimit {
		return importedBody{}, tooLarge(streamLimit)
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
	var row importRow
	if err := json.Unmarshal(strict, &row, json.RejectUnknownMembers(true)); err != nil {
		return entry.ImportRow{}, within(path, decodeFault(err))
	}
	return row.parse(i)
}

func (r importRow) parse(i int) (entry.ImportRow, error) {
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

// importedBody is what an import did.
type importedBody struct {
	ChangeSet  *content.ChangeSetID  `json:"changeSetId"` // that all rows joined; null where they are several
	ChangeSets []content.ChangeSetID `json:"changeSetIds"`
	Created    int                   `json:"created"`
	Updated    int                   `json:"updated"`
	Skipped    int                   `json:"unchanged"`
	Conflicts  int                   `json:"conflicts"`
	Entries    []importedRow         `json:"entries"`
}

type importedRow struct {
	Entry     *content.EntryID     `json:"id"`
	Slug      *string              `json:"slug"`
	Outcome   entry.Outcome        `json:"outcome"`
	ChangeSet *content.ChangeSetID `json:"changeSetId"`
	Error     *rowError            `json:"error,omitempty"`
}

// rowError says why a row was left out, as a problem does of a request.
type rowError struct {
	Code       fault.Code `json:"code"`
	Detail     string     `json:"detail"`
	Entries    []string   `json:"entryIds,omitempty"`
	ChangeSets []string   `json:"changeSetIds,omitempty"`
}

func rowErrorOf(f *fault.Error) *rowError {
	if f == nil {
		return nil
	}
	return &rowError{f.Code, f.Detail, f.EntryIDs, f.ChangeSetIDs}
}

func (c *call) runImport(options entry.ImportOptions, rows iter.Seq2[entry.ImportRow, error]) (importedBody, error) {
	done, err := entry.Import(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("collection"), options, rows)
	if err != nil {
		return importedBody{}, err
	}
	out := importedBody{ChangeSets: done.ChangeSets, Created: done.Created, Updated: done.Updated, Skipped: done.Skipped, Conflicts: done.Conflicts}
	if done.ChangeSet != nil {
		out.ChangeSet = &done.ChangeSet.ID
	}
	for _, row := range done.Rows {
		out.Entries = append(out.Entries, importedRow{orNull(row.Entry), row.Slug, row.Outcome, orNull(row.ChangeSet), rowErrorOf(row.Conflict)})
	}
	return out, nil
}
