package preview_test

import (
	"testing"
	"time"

	"svc/core/postgres/postgrestest"
	"svc/core/preview"
	"svc/core/preview/previewtest"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// TestADatabaseThatGoesInTheMiddleOfAReadIsUnavailable: callers may try again, and no one takes it for a defect.
func TestADatabaseThatGoesInTheMiddleOfAReadIsUnavailable(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	subject := previewtest.New(pool)
	ref := project(t, subject)
	err := subject.PutSchema(t.Context(), readtest.Project(1), readtest.Schema{Number: 1, From: 1, Collections: []readtest.Version{{
		Name: "posts", Version: 1, Label: "Posts", Canonical: []byte(`{"name":"posts","fields":{"slug":{"type":"slug"}}}`),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	store := preview.New(pool, 0)
	for name, ask := range map[string]func(read.View) error{
		"a list": func(v read.View) error {
			_, err := v.List(t.Context(), read.ListQuery{Collection: "posts", Limit: 10})
			return err
		},
		"a list by a field": func(v read.View) error {
			_, err := v.List(t.Context(), listQuery(t, v, "order=slug"))
			return err
		},
		"a list with filters": func(v read.View) error {
			_, err := v.List(t.Context(), listQuery(t, v, "filter[slug][ne]=a"))
			return err
		},
		"the revisions of an entry": func(v read.View) error {
			return v.History(t.Context(), "posts", readtest.Entry(1), 0, func([]byte) bool { return true })
		},
		"an entry": func(v read.View) error {
			_, _, err := v.BySlug(t.Context(), "posts", "one", 0)
			return err
		},
		"a former slug": func(v read.View) error {
			_, _, err := v.FormerSlug(t.Context(), "posts", "one", 0)
			return err
		},
		"a time": func(v read.View) error {
			_, _, err := v.ReleaseAt(t.Context(), time.Now().Add(-time.Hour))
			return err
		},
		"a schema": func(v read.View) error {
			_, err := v.Frame(t.Context(), "posts", 1)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			view, err := store.Open(t.Context(), ref)
			if err != nil {
				t.Fatal(err)
			}
			defer view.Close()
			_, err = pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid()`)
			if err != nil {
				t.Fatal(err)
			}
			if err := ask(view); !fault.Is(err, fault.Unavailable) || fault.As(err).RetryAfter <= 0 {
				t.Errorf("%v, want UNAVAILABLE with a time to try again", err)
			}
		})
	}
}
