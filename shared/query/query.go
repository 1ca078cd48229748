// Package query turns the query string of a public read into a typed query, and makes and checks the cursors that
// carry a walk from page to page (interface, "Content read API"). It is strict: a parameter that a route does not
// take, one that is given twice, and a value that means nothing are VALIDATION_FAILED naming the parameter.
//
// # Filters and orders
//
// Parse reads them without a schema; Bind holds them against one. What is bound decides by keys (value.KeyOf) and allocates
// nothing for an entry: Conditions.Match says whether a list has it, Order.Key where it stands. Conditions.All are for stores that
// look up keys in indexes.
//
// No value is no value: filter[title]= is refused, as it is where a variable of a page was not set, and exists=false is what asks
// for entries without a title. An empty text, which is a value, is found by in (filter[title][in]=,). In the values of in, a
// backslash stands before a comma or another backslash only.
package query

import (
	"slices"
	"strings"
)

// Bounds of the parameter limit (interface, "Limits").
const (
	DefaultLimit = 25
	MaxLimit     = 100
)

// Query is a parsed query string. The zero value is what an empty one means, but for Limit.
type Query struct {
	// Limit is the number of entries wanted, 1 to MaxLimit; it is set for every route.
	Limit int
	// Cursor is the opaque text to continue from, or empty; see Binding.Open.
	Cursor string
	// At is the pin.
	At At
	// Filters are those of a list, in the order they came; Order is what it is ordered by. See Bind.
	Filters []Filter
	Order   OrderBy
	// Fields are the names that fields is restricted to; nil is all of them.
	Fields []string
	// Include are the names of the reference fields whose entries are embedded.
	Include []string
	// Rendered asks for markdown as HTML.
	Rendered bool
	// Search is the parameter q as it was given; package search reads it.
	Search string
	// Locale resolves localized fields; empty returns them whole.
	Locale string
	// Preview is the preview token that stands in the query string, or empty; as it stands there, where it cannot be decoded.
	Preview string
}

// Parse reads the raw query string of a route. Everything that is wrong is reported at once, one item for each
// parameter.
func Parse(route Route, raw string) (Query, error) {
	p := parser{route: route, query: Query{Limit: DefaultLimit}}
	if raw != "" {
		p.parse(raw)
	}
	if p.query.Preview != "" && p.query.At.Kind != AtHead {
		p.refuse(paramAt, "cannot be combined with a preview token")
	}
	if p.excess {
		p.refuse(paramFilter, "a list takes at most %d filters", MaxFilters)
	}
	return p.query, p.findings.err()
}

// Canonical returns a raw query string with the value of at replaced by a release number.
func Canonical(raw string, release string) string {
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		if name, wrong := unescape(name); wrong == "" && name == paramAt {
			pairs[i] = paramAt + "=" + release
		}
	}
	return strings.Join(pairs, "&")
}

type parser struct {
	route    Route
	query    Query
	seen     []string
	findings findings
	excess   bool // of filters
}

func (p *parser) parse(raw string) {
	for pair := range strings.SplitSeq(raw, "&") {
		if pair != "" && len(p.findings) < maxFindings {
			p.pair(pair)
		}
	}
}

func (p *parser) pair(pair string) {
	rawName, rawValue, _ := strings.Cut(pair, "=")
	name, wrong := unescape(rawName)
	if wrong != "" {
		p.refuse(Shorten(rawName), "%s", wrong)
		return
	}
	if !p.admit(name) {
		return
	}
	value, wrong := unescape(rawValue)
	if wrong != "" {
		if name == paramPreview || name == paramToken {
			p.query.Preview = rawValue
		}
		p.refuse(Shorten(name), "%s", wrong)
		return
	}
	p.set(name, value)
}

// admit refuses names that the route does not take and those that were there before.
func (p *parser) admit(name string) bool {
	known := name
	if isFilter(name) {
		known = paramFilter
	}
	if !slices.Contains(accepted[p.route], known) {
		p.refuse(Shorten(name), "is not a parameter here; %s", p.route.hint())
		return false
	}
	if slices.Contains(p.seen, name) {
		p.refuse(Shorten(name), "must be given once")
		return false
	}
	p.seen = append(p.seen, name)
	return true
}

func (p *parser) set(name, value string) {
	if isFilter(name) {
		p.filter(name, value)
		return
	}
	if value == "" && name != paramSearch {
		p.refuse(Shorten(name), "must have a value")
		return
	}
	switch name {
	case paramOrder:
		p.order(value)
	case paramLimit:
		p.query.Limit = p.limit(value)
	case paramCursor:
		p.query.Cursor = value
	case paramAt:
		p.query.At = p.at(value)
	case paramFields:
		p.query.Fields = strings.Split(value, ",")
	case paramLocale:
		p.query.Locale = value
	case paramPreview, paramToken:
		if p.query.Preview != "" && p.query.Preview != value {
			p.refuse(name, "is another preview token than the one before; give one of them")
			return
		}
		p.query.Preview = value
	case paramInclude:
		p.query.Include = strings.Split(value, ",")
	case paramRepresentation:
		p.query.Rendered = value == "rendered"
		if !p.query.Rendered && value != "source" {
			p.refuse(name, "must be source or rendered, not %q", Shorten(value))
		}
	case paramSearch:
		p.query.Search = value
	}
}

func (p *parser) refuse(name, format string, args ...any) { p.findings.add(name, format, args...) }

// hint says what a route takes.
func (r Route) hint() string {
	accepted := r.Accepted()
	if len(accepted) == 0 {
		return "this route takes none"
	}
	return "this route takes " + strings.Join(accepted, ", ")
}
