package api

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/entry"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/value"
)

const typeLines = "application/x-ndjson"

type importRow struct {
	ID            string         `json:"id"`
	Slug          *string        `json:"slug"`
	Data          jsontext.Value `json:"data"`
	ChangeSummary string         `json:"changeSummary"`
}

type importBody struct {
	Entries       []importRow `json:"entries"`
	ChangeSetID   string      `json:"changeSetId"`
	ChangeSummary string      `json:"changeSummary"`
	DryRun        bool        `json:"dryRun"`
}

// importEntries takes {entries, changeSetId?, changeSummary?, dryRun?} as JSON, or one entry a line as
// application/x-ndjson with the options as parameters. Lines are read as they come.
func importEntries(c *call) (reply, error) {
	if c.requireType(typeLines) == nil {
		return c.importLines()
	}
	if err := c.requireType("application/json"); err != nil {
		return reply{}, fault.New(fault.UnsupportedMediaType, "an import is application/json or %s, not %q", typeLines, c.gin.GetHeader("Content-Type"))
	}
	if len(c.query) > 0 {
		return reply{}, fault.New(fault.ValidationFailed, "a JSON import takes its options as members of the body, not as parameters")
	}
	if c.gin.Request.ContentLength > entryLimit {
		return reply{}, tooLarge(entryLimit)
	}
	var in importBody
	if err := c.bind(&in); err != nil {
		return reply{}, err
	}
	options := entry.ImportOptions{ChangeSet: in.ChangeSetID, ChangeSummary: in.ChangeSummary, DryRun: in.DryRun}
	return c.runImport(options, func(yield func(entry.ImportRow, error) bool) {
		for i, row := range in.Entries {
			if !yield(row.parse(i)) {
				return
			}
		}
	})
}

func (c *call) importLines() (reply, error) {
	options := entry.ImportOptions{ChangeSet: c.query.Get("changeSetId"), ChangeSummary: c.query.Get("changeSummary")}
	if text := c.query.Get("dryRun"); text != "" {
		dry, err := strconv.ParseBool(text)
		if err != nil || text != "true" && text != "false" {
			return reply{}, fault.Invalid("dryRun", "must be true or false")
		}
		options.DryRun = dry
	}
	body := http.MaxBytesReader(c.gin.Writer, c.gin.Request.Body, streamLimit)
	return c.runImport(options, lines(body))
}

// lines reads one row a line; empty lines are passed over.
func lines(body io.Reader) iter.Seq2[entry.ImportRow, error] {
	return func(yield func(entry.ImportRow, error) bool) {
		scanner := bufio.NewScanner(body)
		scanner.Buffer(make([]byte, 64<<10), entryLimit)
		for i := 0; scanner.Scan(); {
			line := bytes.TrimSpace(scanner.Bytes())
			if len(line) == 0 {
				continue
			}
			if !yield(parseLine(line, i)) {
				return
			}
			i++
		}
		if err := scanner.Err(); err != nil {
			yield(entry.ImportRow{}, streamFault(err))
		}
	}
}

func parseLine(line []byte, i int) (entry.ImportRow, error) {
	path := fmt.Sprintf("entries[%d]", i)
	strict, err := value.ParseObject(line, path)
	if err != nil {
		return entry.ImportRow{}, err
	}
	var row importRow
	if err := json.Unmarshal(strict, &row, json.RejectUnknownMembers(true)); err != nil {
		f := fault.As(decodeFault(err))
		return entry.ImportRow{}, fault.Invalid(path, "%s", f.Detail)
	}
	return row.parse(i)
}

func (r importRow) parse(i int) (entry.ImportRow, error) {
	out := entry.ImportRow{Slug: r.Slug, Data: r.Data, ChangeSummary: r.ChangeSummary}
	if r.ID == "" {
		return out, nil
	}
	id, err := idAt[content.EntryID](fmt.Sprintf("entries[%d].id", i), r.ID)
	out.ID = id
	return out, err
}

func streamFault(err error) error {
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return tooLarge(streamLimit)
	case errors.Is(err, bufio.ErrTooLong):
		return fault.New(fault.PayloadTooLarge, "a line is larger than %d MiB", entryLimit>>20)
	}
	return &fault.Error{Code: fault.ValidationFailed, Detail: "the request body ended before its declared length", Err: err}
}

type importedRow struct {
	Entry   *content.EntryID `json:"id"`
	Slug    *string          `json:"slug"`
	Outcome entry.Outcome    `json:"outcome"`
}

func (c *call) runImport(options entry.ImportOptions, rows iter.Seq2[entry.ImportRow, error]) (reply, error) {
	done, err := entry.Import(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("collection"), options, rows)
	if err != nil {
		return reply{}, err
	}
	out := struct {
		ChangeSet *content.ChangeSetID `json:"changeSetId"`
		Created   int                  `json:"created"`
		Updated   int                  `json:"updated"`
		Skipped   int                  `json:"unchanged"`
		Entries   []importedRow        `json:"entries"`
	}{Created: done.Created, Updated: done.Updated, Skipped: done.Skipped}
	if done.ChangeSet != nil {
		out.ChangeSet = &done.ChangeSet.ID
	}
	for _, row := range done.Rows {
		out.Entries = append(out.Entries, importedRow{orNull(row.Entry), row.Slug, row.Outcome})
	}
	return one(out), nil
}
