package table

import (
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// Project is the slug of the project that holds the documents of a Store.
const Project = "bench-table"

// Lists is one kind of list: query strings, of which each selects a first page of 25.
type Lists struct {
	Work    string
	Queries []string
}

// The kinds of lists.
const (
	Ordered  = "first 25 by any sortable field, cache off, in process"
	Filtered = "two filters ordered by a third field, from 1 in 100,000 to all"
	Ranges   = "range on a datetime, ordered by it or by another field"
	Searches = "`q` with two words; a phrase; an exclusion"
	Frequent = "`q` with a phrase of frequent words"
)

// Kinds are the lists that are measured, each field, selectivity and order of them on its own.
func Kinds() []Lists {
	return []Lists{{Ordered, ordered()}, {Filtered, filtered()}, {Ranges, ranges()}, {Searches, searches()}, {Frequent, frequent()}}
}

func ordered() []string {
	var out []string
	for _, field := range sortable {
		out = append(out, "order="+field, "order=-"+field)
	}
	return out
}

// filtered has every pair of a filter that selects from one entry to all of them and one that selects a part, in three orders.
func filtered() []string {
	selective := []string{"filter[views]=" + strconv.Itoa(At(7, 1).Views)}
	for most := 100; most <= maxViews; most *= 10 {
		selective = append(selective, "filter[views][lt]="+strconv.Itoa(most))
	}
	var out []string
	for _, one := range selective {
		for _, other := range []string{"filter[category]=category-3", "filter[featured]=true", "filter[rating][lt]=0.1", "filter[rating][gte]=0"} {
			for _, order := range []string{"-day", "title", "updated"} {
				out = append(out, one+"&"+other+"&order="+order)
			}
		}
	}
	return out
}

func ranges() []string {
	const from = span / 3
	var out []string
	for _, width := range []time.Duration{time.Hour, 24 * time.Hour, 30 * 24 * time.Hour, span / 2, span} {
		for _, order := range []string{"", "updated", "-updated", "title", "-views"} {
			q := "filter[updated][gte]=" + moment(from) + "&filter[updated][lt]=" + moment(from+width)
			if width == span {
				q = "filter[updated][gte]=" + moment(0)
			}
			if order != "" {
				q += "&order=" + order
			}
			out = append(out, q)
		}
	}
	return out
}

func searches() []string {
	return asked("w40 w90", "w5 w8", "w400 w9", "w900 w1500", `"w40 w90"`, `"w300 w7"`, "w40 -w5", "w5 -w40", `w9 -"w1 w2"`)
}

func frequent() []string { return asked(`"w5 w8"`, `"w1 w2"`, `"w2 w1 w3"`) }

// asked searches for each text in the default order, and newest day first.
func asked(texts ...string) []string {
	var out []string
	for _, text := range texts {
		q := "q=" + url.QueryEscape(text)
		out = append(out, q, q+"&order=-day")
	}
	return out
}

// Walked are the lists whose pages are measured far behind the first one.
func Walked() []string {
	return []string{"", "order=updated", "order=-views", "order=title", "filter[rating][gte]=0&order=day"}
}

// Path is the path of a list of a project's documents, at a release if pin is not 0.
func Path(project, query string, pin uint64) string {
	path := "/v1/projects/" + project + "/collections/" + Collection + "/entries"
	if pin != 0 {
		query = with(query, fmt.Sprintf("at=%d", pin))
	}
	if query != "" {
		path += "?" + query
	}
	return path
}

// with adds a parameter to a query string.
func with(query, parameter string) string {
	if query == "" {
		return parameter
	}
	return query + "&" + parameter
}

// Single is the path of document n.
func Single(project string, n int, pin uint64) string {
	path := "/v1/projects/" + project + "/collections/" + Collection + "/entries/" + Slug(n)
	if pin != 0 {
		path += fmt.Sprintf("?at=%d", pin)
	}
	return path
}
