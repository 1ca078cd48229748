package query

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/shared/fault"
)

func TestAcceptedSetsAreThoseOfTheInterface(t *testing.T) {
	single := "fields include representation locale at preview token"
	for route, want := range map[Route]string{
		RouteCollections: "",
		RouteList:        "limit cursor order fields include representation locale q at preview token filter[…]",
		RouteEntry:       single,
		RouteSingleton:   single,
		RouteBacklinks:   "at preview token",
		RouteResolve:     "preview token",
	} {
		if got := strings.Join(route.Accepted(), " "); got != want {
			t.Errorf("route %d takes %q, want %q", route, got, want)
		}
	}
}

// TestHintsNameWhatARouteTakes: an unknown parameter is refused with those that there are.
func TestHintsNameWhatARouteTakes(t *testing.T) {
	for route, want := range map[Route]string{
		RouteCollections: "none",
		RouteList:        "limit, cursor, order, fields, include, representation, locale, q, at, preview, token, filter[…]",
		RouteEntry:       "fields, include, representation, locale, at, preview, token",
		RouteSingleton:   "fields, include, representation, locale, at, preview, token",
		RouteBacklinks:   "at, preview, token",
		RouteResolve:     "preview, token",
	} {
		_, err := Parse(route, "page=2")
		if got := fault.As(err).Detail; got != "page: is not a parameter here; this route takes "+want {
			t.Errorf("route %d: %s", route, got)
		}
	}
}

func TestParametersThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		route Route
		raw   string
		names string // of the parameters that the fault lists
	}{
		{RouteList, "unknown=1", "unknown"},
		{RouteList, "Limit=1", "Limit"},
		{RouteList, "limit=1&limit=2", "limit"},
		{RouteList, "limit=1&%6Cimit=2", "limit"},
		{RouteList, "limit=abc", "limit"},
		{RouteList, "limit=1.5", "limit"},
		{RouteList, "limit=1e2", "limit"},
		{RouteList, "limit=+5", "limit"},
		{RouteList, "limit=", "limit"},
		{RouteList, "limit", "limit"},
		{RouteList, "limit=-", "limit"},
		{RouteList, "cursor=", "cursor"},
		{RouteList, "at=", "at"},
		{RouteList, "at=release-", "at"},
		{RouteList, "at=release-x", "at"},
		{RouteList, "at=7.5", "at"},
		{RouteList, "at=2026-02-30", "at"},
		{RouteList, "at=2026-02-28T10:00", "at"},
		{RouteList, "at=2026-02-28T10:00:00", "at"},
		{RouteList, "fields=", "fields"},
		{RouteList, "locale=", "locale"},
		{RouteList, "order=", "order"},
		{RouteList, "order=-", "order"},
		{RouteList, "order=a&order=b", "order"},
		{RouteList, "filter=x", "filter"},
		{RouteList, "filter[]=x", "filter[]"},
		{RouteList, "filter[a][b][c]=x", "filter[a][b][c]"},
		{RouteList, "filter[a]", "filter[a]"},
		{RouteList, "filter[a]=", "filter[a]"},
		{RouteList, "filter[a][ne]=", "filter[a][ne]"},
		{RouteList, "filter[a][in]=", "filter[a][in]"},
		{RouteList, "filter[a][]=x", "filter[a][]"},
		{RouteList, "filter[a][eq]=x", "filter[a][eq]"},
		{RouteList, "filter[a][NE]=x", "filter[a][NE]"},
		{RouteList, "filter[a]b=x", "filter[a]b"},
		{RouteList, "filter[a][ne]b=x", "filter[a][ne]b"},
		{RouteList, "filter[a][[ne]]=x", "filter[a][[ne]]"},
		{RouteList, "filter[[a]]=x", "filter[[a]]"},
		{RouteList, "filter[a=x", "filter[a"},
		{RouteList, "filter[a]=x&filter[a]=y", "filter[a]"},
		{RouteList, "filter[a][gt]=1&filter%5Ba%5D%5Bgt%5D=1", "filter[a][gt]"},
		{RouteList, manyFilters(MaxFilters + 9), "filter[…]"},
		{RouteList, "q=a&q=b", "q"},
		{RouteList, "q=%ff", "q"},
		{RouteEntry, "q=word", "q"},
		{RouteList, "include=", "include"},
		{RouteBacklinks, "include=author", "include"},
		{RouteList, "representation=", "representation"},
		{RouteList, "representation=Rendered", "representation"},
		{RouteList, "representation=source&representation=rendered", "representation"},
		{RouteList, "representation=html", "representation"},
		{RouteList, "locale=%ff", "locale"},
		{RouteList, "locale=%00", "locale"},
		{RouteList, "locale=%e", "locale"},
		{RouteList, "%zz=1", "%zz"},
		{RouteList, "preview=", "preview"},
		{RouteList, "token=x&at=7", "at"},
		{RouteList, "preview=x&at=2026-01-01", "at"},
		{RouteList, "preview=x&token=y", "token"},
		{RouteList, "limit=x&nonsense=1&at=y", "limit nonsense at"},
		{RouteList, strings.Repeat("x", 100) + "=1", strings.Repeat("x", 64) + "…"},
		{RouteEntry, "limit=1", "limit"},
		{RouteEntry, "filter[title]=x", "filter[title]"},
		{RouteSingleton, "q=", "q"},
		{RouteSingleton, "cursor=x", "cursor"},
		{RouteBacklinks, "fields=title", "fields"},
		{RouteCollections, "locale=de", "locale"},
		{RouteCollections, "at=1", "at"},
		{RouteCollections, "preview=x", "preview"},
		{RouteResolve, "token=x&preview=y", "preview"},
	} {
		_, err := Parse(c.route, c.raw)
		if !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("%q was taken: %v", c.raw, err)
			continue
		}
		var names []string
		for _, item := range fault.As(err).Items {
			names = append(names, item.Path)
		}
		if got := strings.Join(names, " "); got != c.names {
			t.Errorf("%q: the fault lists %q, want %q", c.raw, got, c.names)
		}
		if !strings.Contains(fault.As(err).Detail, c.names) && !strings.Contains(c.names, " ") {
			t.Errorf("%q: the detail names nothing: %s", c.raw, fault.As(err).Detail)
		}
	}
}

func manyFilters(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "&filter[f%d]=x", i)
	}
	return b.String()
}

func TestFiltersAndOrderAsGiven(t *testing.T) {
	q, err := Parse(RouteList, "filter[a]=1&filter%5Bb_c%5D%5Bin%5D=x%2Cy,z&filter[a][gte]=+1&order=-title&filter[a][exists]=true")
	want := []Filter{{"a", OpEqual, "1"}, {"b_c", OpIn, "x,y,z"}, {"a", OpGreaterOrEqual, " 1"}, {"a", OpExists, "true"}}
	if err != nil || !slices.Equal(q.Filters, want) || q.Order != (OrderBy{Field: "title", Descending: true}) {
		t.Errorf("%+v %+v, %v", q.Filters, q.Order, err)
	}
	if q, err := Parse(RouteList, manyFilters(MaxFilters)); err != nil || len(q.Filters) != MaxFilters {
		t.Errorf("%d filters, %v", len(q.Filters), err)
	}
	for _, op := range Ops() {
		f := Filter{Field: "a", Op: op, Text: "x"}
		if q, err := Parse(RouteList, f.Name()+"=x"); err != nil || len(q.Filters) != 1 || q.Filters[0] != f {
			t.Errorf("%s: %+v, %v", f.Name(), q.Filters, err)
		}
	}
}

func TestManyFaultsAreNotAllListed(t *testing.T) {
	_, err := Parse(RouteList, strings.Repeat("x=1&", 1000))
	if n := len(fault.As(err).Items); n != maxFindings {
		t.Fatalf("%d findings", n)
	}
}

func TestLimitClamps(t *testing.T) {
	for raw, want := range map[string]int{
		"": 25, "limit=1": 1, "limit=100": 100, "limit=101": 100, "limit=0": 1, "limit=-7": 1, "limit=007": 7,
		"limit=99999999999999999999999999": 100, "limit=-99999999999999999999999999": 1, "&&limit=3&": 3,
	} {
		if q, err := Parse(RouteList, raw); err != nil || q.Limit != want {
			t.Errorf("%q: %d, %v, want %d", raw, q.Limit, err, want)
		}
	}
}

func TestAtForms(t *testing.T) {
	day := time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)
	release := func(n int64) At { return At{Kind: AtRelease, Release: n} }
	instant := func(t time.Time) At { return At{Kind: AtTime, Time: t} }
	for value, want := range map[string]At{
		"7":                             release(7),
		"release-7":                     release(7),
		"0":                             release(0),
		"-3":                            release(-3),
		"release--3":                    release(-3),
		"2026":                          release(2026),
		"99999999999999999999":          release(math.MaxInt64),
		"2026-02-28":                    instant(day),
		"2026-02-28T00:00:00Z":          instant(day),
		"2026-02-28t00:00:00z":          instant(day),
		"2026-02-28T01:00:00%2B01:00":   instant(day),
		"2026-02-28T01:00:00+01:00":     instant(day),
		"2026-02-28T00:00:00.125-00:00": instant(day.Add(125 * time.Millisecond)),
		"2026-02-28T00:00:00.0000001Z":  instant(day.Add(100)),
	} {
		q, err := Parse(RouteEntry, "at="+value)
		if err != nil || q.At.Kind != want.Kind || q.At.Release != want.Release || !q.At.Time.Equal(want.Time) {
			t.Errorf("at=%s: %+v, %v, want %+v", value, q.At, err, want)
		}
	}
}

func TestWhatParametersMean(t *testing.T) {
	q, err := Parse(RouteList, "q=&representation=source&fields=title,body&locale=de&cursor=abc&limit=5")
	if err != nil || q.Limit != 5 || q.Cursor != "abc" || q.Locale != "de" || !slices.Equal(q.Fields, []string{"title", "body"}) {
		t.Fatalf("%+v, %v", q, err)
	}
	if q, err := Parse(RouteList, "q=%22two+words%22+-third"); err != nil || q.Search != `"two words" -third` {
		t.Fatalf("q: %+v, %v", q, err)
	}
	if q, err := Parse(RouteSingleton, "include=author,desk"); err != nil || !slices.Equal(q.Include, []string{"author", "desk"}) {
		t.Fatalf("include: %+v, %v", q, err)
	}
	if q, err := Parse(RouteEntry, "representation=rendered"); err != nil || !q.Rendered {
		t.Fatalf("rendered: %+v, %v", q, err)
	}
	if q, err := Parse(RouteList, "token=svc_prv_x"); err != nil || q.Preview != "svc_prv_x" {
		t.Fatalf("a preview token: %+v, %v", q, err)
	}
}

func TestCanonicalReplacesThePinAlone(t *testing.T) {
	for raw, want := range map[string]string{
		"at=2026-02-28":                "at=7",
		"limit=3&at=release-7&fields=": "limit=3&at=7&fields=",
		"limit=3&%61t=7":               "limit=3&at=7",
		"limit=3":                      "limit=3",
	} {
		if got := Canonical(raw, "7"); got != want {
			t.Errorf("%q became %q, want %q", raw, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, raw := range []string{"", "limit=5&at=release-7", "at=2026-02-28T10:00:00+01:00&fields=a,b", "filter[a][in]=1,2&q=x", "filter[a]=x&filter[b][exists]=true&order=-a",
		"preview=1&token=%zz", "&&=&a=b=c&%", "limit=99999999999999999999", "locale=%ff%00"} {
		f.Add(byte(RouteList), raw)
	}
	f.Fuzz(func(t *testing.T, route byte, raw string) {
		r := Route(route%7) + RouteCollections
		q, err := Parse(r, raw)
		if q.Limit < 1 || q.Limit > MaxLimit {
			t.Fatalf("limit %d", q.Limit)
		}
		if err != nil {
			if f := fault.As(err); f.Code != fault.ValidationFailed || len(f.Items) == 0 || len(f.Items) > maxFindings+1 {
				t.Fatalf("%v", err)
			}
			return
		}
		// The canonical form of a pin means that release and leaves the rest alone.
		canonical := Canonical(raw, "3")
		again, err := Parse(r, canonical)
		if err != nil {
			t.Fatalf("%q came from %q and is refused: %v", canonical, raw, err)
		}
		if q.At.Kind != AtHead {
			q.At = At{Kind: AtRelease, Release: 3, Text: "3"}
		}
		if fmt.Sprint(again) != fmt.Sprint(q) {
			t.Fatalf("%q means %+v, %q means %+v", raw, q, canonical, again)
		}
	})
}
