package readtest

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"svc/shared/content"
	"svc/shared/read"
)

// ask has the read engine answer a list of posts on the subject's store, with a key that reads everything.
func (f *fixture) ask(query string) Answer {
	f.Helper()
	engine := &read.Engine{Store: f.subject.Store(), Keys: ring{}, Now: time.Now}
	a, err := Serve(f.Context(), engine, Call{
		Method:  http.MethodGet,
		Target:  "/v1/projects/" + string(f.settings.ID) + "/collections/posts/entries?" + query,
		Headers: bearer("all"),
	})
	if err != nil {
		f.Fatalf("%s: %v", query, err)
	}
	return a
}

var entryID = regexp.MustCompile(`"id":"(ent_[^"]*)"`)

// page returns the numbers of the entries on one page, and the query of the next one; empty where there is none.
func (f *fixture) page(query string) (numbers []uint64, next string) {
	f.Helper()
	a := f.ask(query)
	if a.Status != http.StatusOK {
		f.Errorf("%s: %d %s", query, a.Status, a.Body)
		return nil, ""
	}
	for _, m := range entryID.FindAllStringSubmatch(string(a.Body), -1) {
		numbers = append(numbers, number(content.EntryID(m[1])))
	}
	if m := nextCursor.FindStringSubmatch(string(a.Body)); m != nil {
		query, _, _ = strings.Cut(query, "&cursor=")
		next = query + "&cursor=" + url.QueryEscape(m[1])
	}
	return numbers, next
}

// listed walks a whole list. A page behind the first is never empty: the one before would have been the last.
func (f *fixture) listed(query string) []uint64 {
	f.Helper()
	all, next := f.page(query)
	for next != "" {
		var numbers []uint64
		numbers, next = f.page(next)
		if len(numbers) == 0 {
			f.Errorf("%s: the walk ends with an empty page", query)
		}
		all = append(all, numbers...)
	}
	return all
}

// wantList checks a list of posts in pages of several sizes.
func (f *fixture) wantList(query string, want ...uint64) {
	f.Helper()
	for _, limit := range []string{"limit=100&", "limit=3&", "limit=1&"} {
		if got := f.listed(limit + query); !slices.Equal(got, want) {
			f.Errorf("%s%s: %v, want %v", limit, query, got, want)
			return
		}
	}
}

// wantRefused checks that a list is refused for one parameter.
func (f *fixture) wantRefused(query, parameter string) {
	f.Helper()
	a := f.ask(query)
	if a.Status != http.StatusBadRequest || !strings.Contains(string(a.Body), `"VALIDATION_FAILED"`) || !strings.Contains(string(a.Body), `"path":"`+parameter+`"`) {
		f.Errorf("%s: %d %s, want it refused for %s", query, a.Status, a.Body, parameter)
	}
}
