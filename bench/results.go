package bench

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// The files of results beside the reports that they are made from.
const (
	resultsPage  = "results.md"
	resultsChart = "results.png"
)

// render makes the page and the chart of all reports in a directory, of whichever run each is.
func render(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	var reports []Report
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the results: %w", err)
		}
		var r Report
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("%s is no report: %w", file, err)
		}
		reports = append(reports, r)
	}
	place := func(r Report) int {
		return slices.IndexFunc(scenarios(), func(s scenario) bool { return s.name == r.Scenario })
	}
	slices.SortStableFunc(reports, func(a, b Report) int { return cmp.Compare(place(a), place(b)) })
	picture, err := chart(reports)
	if err != nil {
		return fmt.Errorf("draw the results: %w", err)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, resultsPage), []byte(page(reports)), 0o644),
		os.WriteFile(filepath.Join(dir, resultsChart), picture, 0o644))
}

// page is the reports in Markdown.
func page(reports []Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\nRuns of the benchmarks overwrite this page; `bench/docs/BENCHMARKS.md` says what each line means.\n\n")
	fmt.Fprintf(&b, "![Measured values as shares of their targets](%s)\n", resultsChart)
	for _, r := range reports {
		quick := ""
		if r.Quick {
			quick = ", in small: the figures mean nothing"
		}
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s, %.0f s. %s%s.\n", r.Scenario, r.About, r.Began.Format("2006-01-02 15:04 UTC"), r.Seconds, r.Machine, quick)
		if r.Failure != "" {
			fmt.Fprintf(&b, "\nThe run failed: %s\n", cell(r.Failure))
		}
		if len(r.Rows) > 0 {
			b.WriteString("\n| work | measured | target | reached | × Pebble Get | note |\n|---|---|---|---|---|---|\n")
		}
		for _, row := range r.Rows {
			b.WriteString(row.line())
		}
		if len(r.Figures) > 0 {
			b.WriteString("\n| figure | value | at most | note |\n|---|---|---|---|\n")
		}
		for _, f := range r.Figures {
			b.WriteString(f.line())
		}
	}
	return b.String()
}

// line is the row as one of a Markdown table.
func (r Row) line() string {
	sign, reached, gets := "≤", "yes", ""
	if r.AtLeast {
		sign = "≥"
	}
	if !r.Reached() {
		reached = "**no**"
	}
	if r.Gets > 0 {
		gets = fmt.Sprintf("%.3g", r.Gets)
	}
	return fmt.Sprintf("| %s | %s | %s %s | %s | %s | %s |\n",
		cell(r.Work), r.measured(), sign, Figure{Unit: r.Unit}.text(r.Target), reached, gets, cell(r.Note))
}

// line is the figure as one of a Markdown table.
func (f Figure) line() string {
	limit := ""
	if f.Limit > 0 {
		limit = f.text(f.Limit)
	}
	if f.Over() {
		limit += " **over**"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", cell(f.Name), f.text(f.Value), limit, cell(f.Note))
}

// cell keeps a text inside its cell.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}
