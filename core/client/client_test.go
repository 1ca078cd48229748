package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/shared/fault"
)

// numbered serves a list of n releases in pages, and notes the limits it was asked for.
func numbered(t *testing.T, n int) (*Client, *[]string) {
	var limits []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limits = append(limits, r.URL.Query().Get("limit"))
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil {
			t.Error(err)
		}
		from, _ := strconv.Atoi(r.URL.Query().Get("cursor")) // none is 0
		var rows []string
		for i := from; i < min(n, from+limit); i++ {
			rows = append(rows, fmt.Sprintf(`{"number":%d}`, i+1))
		}
		next := "null"
		if from+limit < n {
			next = strconv.Quote(strconv.Itoa(from + limit))
		}
		fmt.Fprintf(w, `{"data":[%s],"pagination":{"nextCursor":%s}}`, strings.Join(rows, ","), next)
	}))
	t.Cleanup(server.Close)
	return New(server.URL, "", server.Client()), &limits
}

func TestListsAreFollowedAsFarAsTheyAreWanted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		have, want, got int
		more            bool
		limits          string
	}{
		{0, 0, 0, false, "100"}, {250, 0, 250, false, "100 100 100"}, {250, 25, 25, true, "25"},
		{250, 150, 150, true, "100 50"}, {25, 25, 25, false, "25"}, {3, 25, 3, false, "25"},
	} {
		client, limits := numbered(t, c.have)
		releases, more, err := client.RecentReleases(t.Context(), "p", c.want)
		if err != nil || len(releases) != c.got || more != c.more || strings.Join(*limits, " ") != c.limits {
			t.Errorf("%d of %d: %d, more %v, limits %v, %v", c.want, c.have, len(releases), more, *limits, err)
		}
	}
}

func TestAnswersThatAreNotTheAPIsAreErrorsWithACode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, header, body string
		status             int
		code               fault.Code
		retry              time.Duration
	}{
		{"a problem", "7", `{"code":"UNAVAILABLE","detail":"starting"}`, 503, "UNAVAILABLE", 7 * time.Second},
		{"a proxy's page", "soon", `<html>`, 502, Unexpected, 0},
		{"a site that is no API", "", `<html>`, 200, Unexpected, 0},
		{"nothing", "", ``, 200, Unexpected, 0},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", c.header)
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}))
		_, err := New(server.URL, "", server.Client()).Whoami(t.Context())
		var e *Error
		if !errors.As(err, &e) || e.Code != c.code || e.Status != c.status || e.RetryAfter != c.retry {
			t.Errorf("%s: %+v", c.name, err)
		}
		server.Close()
	}
}
