package asset_test

import (
	"slices"
	"testing"

	"svc/core/access"
	"svc/core/account"
	"svc/core/asset/assettest"
	"svc/core/postgres/postgrestest"
	"svc/core/project"
	"svc/shared/content"
)

// The record keeps what an asset is (interface, "Asset"): the database refuses one that could not be.
func TestARecordIsOfAnAsset(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	org, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.Create(t.Context(), pool, access.System(), org.Organization.ID, project.NewProject{Slug: "site"})
	if err != nil {
		t.Fatal(err)
	}
	id := assettest.Insert(t, pool, p.ID, "image/png")
	if got := assettest.State(t, pool, id); got != content.AssetDraft {
		t.Errorf("a new asset is %s", got)
	}
	for _, test := range []struct {
		set   string
		taken bool
	}{
		{`content_type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'`, true},
		{`content_type = 'text/plain; charset=utf-8'`, true},
		{`content_type = 'image/svg+xml'`, true},
		{`content_type = 'IMAGE/PNG'`, false},
		{`content_type = 'image'`, false},
		{`content_type = 'image/png' || chr(10)`, false},
		{`content_type = 'image/' || repeat('x', 255)`, false},
		{`byte_size = 0`, true},
		{`byte_size = -1`, false},
		{`sha256 = '\x00'`, false},
		{`checksum = 'D41D8CD98F00B204E9800998ECF8427E'`, false},
		{`perceptual_hash = 'fedcba9876543210'`, true},
		{`perceptual_hash = 'fedcba98'`, false},
		{`width = 16384, height = 1`, true},
		{`width = 1`, false},
		{`width = 0, height = 0`, false},
		{`original_filename = ''`, false},
		{`tags = NULL`, false},
		{`state = 'gone'`, false},
		{`state = 'deleted'`, false},
		{`deleted_at = now()`, false},
		{`state = 'deleted', deleted_at = now()`, true},
	} {
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err = tx.Exec(t.Context(), `UPDATE asset SET `+test.set+` WHERE id = $1`, id); (err == nil) != test.taken {
			t.Errorf("%s: %v", test.set, err)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var states []string
	err = pool.QueryRow(t.Context(), `SELECT array_agg(s[1]) FROM pg_constraint,
		regexp_matches(pg_get_constraintdef(oid), '''(\w+)''::text', 'g') AS s WHERE conname = 'asset_state_check'`).Scan(&states)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range content.AssetStates() {
		want = append(want, string(s))
	}
	if !slices.Equal(states, want) {
		t.Errorf("the database knows the states %q, want %q", states, want)
	}
}
