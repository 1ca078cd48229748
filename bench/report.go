package bench

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Report is the outcome of a scenario, as it is printed and kept.
type Report struct {
	Scenario string    `json:"scenario"`
	About    string    `json:"about"`
	Quick    bool      `json:"quick"`
	Began    time.Time `json:"began"`
	Seconds  float64   `json:"seconds"`
	Machine  Machine   `json:"machine"`
	Figures  []Figure  `json:"figures"`
	Rows     []Row     `json:"rows,omitempty"`
	// LeftOut is why nothing was measured.
	LeftOut string `json:"leftOut,omitempty"`
	// Failure is what went wrong, such as an answer that does not fit what was published.
	Failure string `json:"failure,omitempty"`
}

// Figure is one measured value. Limit is the most it may be; none when 0.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Limit float64 `json:"limit,omitempty"`
	Note  string  `json:"note,omitempty"`
}

// Over tells whether the value is beyond its limit.
func (f Figure) Over() bool { return f.Limit > 0 && f.Value > f.Limit }

// The units of figures.
const (
	Seconds      = "s"
	Milliseconds = "ms"
	Nanoseconds  = "ns"
	Count        = ""
	Mebibytes    = "MiB"
	Megabytes    = "MB"
	Ratio        = "x"
	PerSecond    = "/s"
)

func (r *Report) add(name string, value float64, unit string) *Figure {
	r.Figures = append(r.Figures, Figure{Name: name, Value: value, Unit: unit})
	return &r.Figures[len(r.Figures)-1]
}

func (f *Figure) atMost(limit float64) *Figure {
	f.Limit = limit
	return f
}

func (f *Figure) noted(format string, args ...any) *Figure {
	f.Note = fmt.Sprintf(format, args...)
	return f
}

// over is an error for the figures beyond their limits.
func (r *Report) over() error {
	var faults []error
	for _, f := range r.Figures {
		if f.Over() {
			faults = append(faults, fmt.Errorf("%s is %s, more than %s", f.Name, f.text(f.Value), f.text(f.Limit)))
		}
	}
	return errors.Join(faults...)
}

func (f Figure) text(v float64) string {
	switch {
	case f.Unit == Count || f.Unit == PerSecond || v >= 1000:
		return strings.TrimSpace(fmt.Sprintf("%.0f %s", v, f.Unit))
	case v >= 100:
		return fmt.Sprintf("%.1f %s", v, f.Unit)
	}
	return fmt.Sprintf("%.2f %s", v, f.Unit)
}

// print writes the report for a person.
func (r *Report) print(out io.Writer) error {
	fmt.Fprintf(out, "\n%s: %s (%.0f s)\n", r.Scenario, r.About, r.Seconds)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range r.Figures {
		limit := ""
		if f.Limit > 0 {
			limit = "at most " + f.text(f.Limit)
			if f.Over() {
				limit += "  OVER"
			}
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", f.Name, f.text(f.Value), limit, f.Note)
	}
	for _, row := range r.Rows {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", row.Work, row.measured(), row.target(), row.remarks())
	}
	if r.LeftOut != "" {
		fmt.Fprintf(table, "  LEFT OUT\t%s\n", r.LeftOut)
	}
	if r.Failure != "" {
		fmt.Fprintf(table, "  FAILED\t%s\n", r.Failure)
	}
	return table.Flush()
}

// write keeps the report as <dir>/<scenario>.json.
func (r *Report) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("keep the report: %w", err)
	}
	name := r.Scenario
	if r.Quick {
		name += "-quick"
	}
	encoded, err := json.Marshal(r, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".json"), append(encoded, '\n'), 0o644); err != nil {
		return fmt.Errorf("keep the report: %w", err)
	}
	return nil
}

// percentile is the value below which a share of a sample lies; the sample is sorted in place.
func percentile[T cmp.Ordered](sample []T, share float64) T {
	slices.Sort(sample)
	return sample[min(len(sample)-1, int(share*float64(len(sample))))]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
