package e2e

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"svc/bench/node"
)

// filterRow is an entry as it is shown in one locale; fields that show nothing are not there.
type filterRow struct {
	id     string
	values map[string]string
}

func filterRowOf(e node.Entry) (filterRow, error) {
	row := filterRow{id: e.ID, values: map[string]string{}}
	var fields map[string]any
	if err := json.Unmarshal(e.Fields, &fields); err != nil {
		return row, err
	}
	for key, v := range fields {
		if v != nil {
			row.values[key] = fmt.Sprint(v)
		}
	}
	return row, nil
}

var filterParameter = regexp.MustCompile(`^filter\[(\w+)\](?:\[(\w+)\])?$`)

// expected is what a list with filters and an order has of what is shown, and in which order; or a part of the refusal.
func expected(query url.Values, types fieldTypes, shown []filterRow) (ids []string, refusal string) {
	rows := slices.Clone(shown)
	for name, values := range query {
		if m := filterParameter.FindStringSubmatch(name); m != nil {
			kind, known := types[m[1]]
			if !known {
				return nil, fmt.Sprintf("no field %q", m[1])
			}
			if _, err := strconv.ParseFloat(values[0], 64); err != nil && kind == "number" && m[2] != "exists" {
				return nil, "a number such as 12.5"
			}
			rows = slices.DeleteFunc(rows, func(r filterRow) bool { return !r.holds(m[1], kind, m[2], values[0]) })
		}
	}
	if by := query.Get("order"); by != "" {
		field, descending := strings.CutPrefix(by, "-")
		kind, known := types[field]
		if !known {
			return nil, fmt.Sprintf("no field %q", field)
		}
		slices.SortFunc(rows, func(a, b filterRow) int { return a.compare(b, field, kind, descending) })
	}
	for _, r := range rows {
		ids = append(ids, r.id)
	}
	return ids, ""
}

// holds decides for one filter.
func (r filterRow) holds(field, kind, op, text string) bool {
	value, there := r.values[field]
	if op == "exists" {
		return there == (text == "true")
	}
	if !there {
		return op == "ne"
	}
	n := compareTexts(kind, value, text)
	switch op {
	case "ne":
		return n != 0
	case "gt":
		return n > 0
	case "gte":
		return n >= 0
	case "lt":
		return n < 0
	case "lte":
		return n <= 0
	case "in":
		return slices.Contains(strings.Split(text, ","), value)
	}
	return n == 0
}

// compare is the order of rows by a field: what lacks it comes last both ways, and ids break ties.
func (r filterRow) compare(other filterRow, field, kind string, descending bool) int {
	a, has := r.values[field]
	b, otherHas := other.values[field]
	if has != otherHas {
		if has {
			return -1
		}
		return 1
	}
	n := compareTexts(kind, a, b)
	if descending {
		n = -n
	}
	return cmp.Or(n, strings.Compare(r.id, other.id))
}

func compareTexts(kind, a, b string) int {
	if kind == "number" && a != "" && b != "" {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}
