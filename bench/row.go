package bench

import (
	"fmt"
	"slices"
	"time"

	"svc/bench/table"
)

// Row is a line of the performance table: a median, and the target that it is held against. Targets are told; none fails a run.
type Row struct {
	Work  string  `json:"work"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Target is the most that the value should be, or where AtLeast is set the least.
	Target  float64 `json:"target"`
	AtLeast bool    `json:"atLeast,omitempty"`
	// Gets is how many times a Get of the same document in a warm Pebble the work takes, for each read, entry or page; 0 where it is
	// no work of that kind.
	Gets float64 `json:"gets,omitempty"`
	Note string  `json:"note,omitempty"`
}

// The rows whose work is no kind of list of package table.
const (
	workCached   = "cached response of 1.5 KB, 64 connections, to a bare fasthttp handler"
	workSlug     = "entry by slug, rotating over all, cache off, to a bare fasthttp handler"
	workPages    = "page at row 5,000 and row 50,000, to the first page"
	workPins     = "any of these at a pin among 1,000 releases, to the head"
	workMillion  = "any of these at 1,000,000 entries, to 100,000"
	workMillions = "resident memory at 1,000,000 entries"
	workInclude  = "25 rows with `include`, to without"
	workRebuild  = "new edge, all indexes, 100,000 entries from a snapshot"
	workWritten  = "bytes written per single-entry release, all indexes, to the entry"
	workCoded    = "list responses with gzip or zstd, cache off, to the identity rate"
	workBusy     = "p99 of reads while 50 releases/s arrive, to quiet"
	workResident = "resident memory after all of the above, 100,000 entries"
	workStreams  = "10,000 idle live connections"
)

// tableRows are the targets, in the order of the table.
var tableRows = []Row{
	{Work: workCached, Unit: Ratio, Target: 0.80, AtLeast: true},
	{Work: workSlug, Unit: Ratio, Target: 0.45, AtLeast: true},
	{Work: table.Ordered, Unit: Milliseconds, Target: 0.2},
	{Work: table.Filtered, Unit: Milliseconds, Target: 0.5},
	{Work: table.Ranges, Unit: Milliseconds, Target: 0.5},
	{Work: table.Searches, Unit: Milliseconds, Target: 0.5},
	{Work: table.Frequent, Unit: Milliseconds, Target: 2},
	{Work: workPages, Unit: Ratio, Target: 1.2},
	{Work: workPins, Unit: Ratio, Target: 1.5},
	{Work: workMillion, Unit: Ratio, Target: 3},
	{Work: workMillions, Unit: Megabytes, Target: 700},
	{Work: workInclude, Unit: Ratio, Target: 2},
	{Work: workRebuild, Unit: Seconds, Target: 45},
	{Work: workWritten, Unit: Ratio, Target: 40},
	{Work: workCoded, Unit: Ratio, Target: 0.5, AtLeast: true},
	{Work: workBusy, Unit: Ratio, Target: 3},
	{Work: workResident, Unit: Megabytes, Target: 500},
	{Work: workStreams, Unit: Megabytes, Target: 200},
}

// addRow adds a measured row to the report, in the order of the table.
func (r *Report) addRow(work string, value float64, format string, args ...any) *Row {
	place := func(work string) int {
		return slices.IndexFunc(tableRows, func(row Row) bool { return row.Work == work })
	}
	row := tableRows[place(work)]
	row.Value, row.Note = value, fmt.Sprintf(format, args...)
	at := slices.IndexFunc(r.Rows, func(other Row) bool { return place(other.Work) > place(work) })
	if at < 0 {
		at = len(r.Rows)
	}
	r.Rows = slices.Insert(r.Rows, at, row)
	return &r.Rows[at]
}

// inGets tells what one operation of the row takes, in Gets.
func (r *Row) inGets(took, get time.Duration) {
	if get > 0 {
		r.Gets = float64(took) / float64(get)
	}
}

// Reached tells whether the value meets the target.
func (r Row) Reached() bool {
	if r.AtLeast {
		return r.Value >= r.Target
	}
	return r.Value <= r.Target
}

func (r Row) measured() string { return Figure{Unit: r.Unit}.text(r.Value) }

// target is the target and whether it is reached.
func (r Row) target() string {
	text := "at most "
	if r.AtLeast {
		text = "at least "
	}
	text += Figure{Unit: r.Unit}.text(r.Target)
	if !r.Reached() {
		text += "  NOT REACHED"
	}
	return text
}

func (r Row) remarks() string {
	if r.Gets == 0 {
		return r.Note
	}
	return fmt.Sprintf("%.3g Gets; %s", r.Gets, r.Note)
}
