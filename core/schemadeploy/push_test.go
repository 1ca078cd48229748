package schemadeploy_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/account"
	"svc/core/entry"
	"svc/core/postgres"
	"svc/core/postgres/postgrestest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema/diff"
)

type bed struct {
	*testing.T
	pool *pgxpool.Pool
	id   content.ProjectID
}

func newBed(t *testing.T) bed {
	t.Helper()
	b := bed{T: t, pool: postgrestest.Open(t)}
	org, err := account.Bootstrap(t.Context(), b.pool, account.NewOrganization{Slug: "acme"}, "first")
	b.ok(err)
	p, err := project.Create(t.Context(), b.pool, access.System(), org.Organization.ID, project.NewProject{Slug: "site"})
	b.ok(err)
	b.id = p.ID
	return b
}

func (b bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b bed) try(allow bool, collections ...string) (schemadeploy.Outcome, error) {
	in := schemadeploy.Proposal{AllowDestructive: allow, Summary: "why", Collections: []jsontext.Value{}}
	for _, c := range collections {
		in.Collections = append(in.Collections, jsontext.Value(c))
	}
	return schemadeploy.Push(b.Context(), b.pool, access.System(), b.id, in)
}

type entryID = content.EntryID

func (b bed) diff(collections ...string) (schemadeploy.Outcome, error) {
	var set []jsontext.Value
	for _, c := range collections {
		set = append(set, jsontext.Value(c))
	}
	return schemadeploy.Diff(b.Context(), b.pool, access.System(), b.id, set)
}

func (b bed) push(collections ...string) schemadeploy.Outcome {
	b.Helper()
	out, err := b.try(false, collections...)
	b.ok(err)
	return out
}

func (b bed) count(sql string, args ...any) (n int) {
	b.Helper()
	b.ok(b.pool.QueryRow(b.Context(), sql, args...).Scan(&n))
	return n
}

func notes(fields string) string { return fmt.Sprintf(`{"name": "notes", "fields": {%s}}`, fields) }

const (
	text   = `"text": {"type": "text"}`
	tags   = `"tags": {"type": "list", "of": {"type": "text"}}`
	people = `{"name": "people", "visibility": "public", "fields": {"name": {"type": "text"}}}`
)

func TestVersionsAreImmutableAndEqualOnesAreUsedAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, step := range []struct {
		name    string
		push    []string
		want    map[string]uint32
		inSync  bool
		pushes  int
		changes int
	}{
		{"first", []string{people, notes(text)}, map[string]uint32{"notes": 1, "people": 1}, false, 1, 1},
		{"the same again", []string{notes(text), people}, map[string]uint32{"notes": 1, "people": 1}, true, 1, 1},
		{"a field more", []string{people, notes(text + "," + tags)}, map[string]uint32{"notes": 2, "people": 1}, false, 2, 2},
		{"another order is another version", []string{people, notes(tags + "," + text)}, map[string]uint32{"notes": 3, "people": 1}, false, 3, 3},
		{"an earlier one", []string{people, notes(text + "," + tags)}, map[string]uint32{"notes": 2, "people": 1}, false, 4, 4},
	} {
		out := b.push(step.push...)
		if !maps.Equal(out.Versions, step.want) || out.Plan.InSync() != step.inSync {
			t.Fatalf("%s: %v, in sync %v", step.name, out.Versions, out.Plan.InSync())
		}
		if n := b.count(`SELECT count(*) FROM schema_push`); n != step.pushes {
			t.Fatalf("%s: %d pushes", step.name, n)
		}
		if n := b.count(`SELECT count(*) FROM change WHERE kind = 'schema'`); n != step.changes {
			t.Fatalf("%s: %d changes", step.name, n)
		}
	}
	versions, err := schemadeploy.Versions(t.Context(), b.pool, b.id, "notes", postgres.Page{Limit: 2})
	b.ok(err)
	if len(versions.Items) != 2 || versions.Items[0].Number != 3 || versions.Items[0].Summary != "why" || versions.NextCursor == "" {
		t.Fatalf("%+v", versions)
	}
	_, err = schemadeploy.Versions(t.Context(), b.pool, b.id, "none", postgres.Page{})
	if !fault.Is(err, fault.NotFound) {
		t.Fatal(err)
	}
}

func TestALabelIsSyncedWithoutAVersion(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.push(people)
	out := b.push(strings.Replace(people, `"visibility"`, `"label": "Everyone", "visibility"`, 1))
	if out.Versions["people"] != 1 || out.Plan.InSync() {
		t.Fatalf("%+v", out)
	}
	d, err := schemadeploy.Get(t.Context(), b.pool, b.id, "people")
	b.ok(err)
	if d.Schema.Label != "Everyone" || d.Version != 1 {
		t.Fatalf("%+v", d.Schema)
	}
	if n := b.count(`SELECT count(*) FROM change WHERE kind = 'schema'`); n != 2 {
		t.Fatalf("%d changes", n)
	}
}

func TestWhatLosesContentNeedsToBeAllowed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	before := []string{people, notes(text + "," + tags)}
	b.push(before...)
	pushes := 1
	for name, set := range map[string][]string{
		"a collection removed": {people},
		"every collection":     {},
		"a field removed":      {people, notes(text)},
		"a field renamed":      {people, notes(text + `, "labels": {"type": "list", "of": {"type": "text"}}`)},
		"a field retyped":      {people, notes(`"text": {"type": "number"},` + tags)},
		"a list retyped":       {people, notes(text + `, "tags": {"type": "list", "of": {"type": "number"}}`)},
		"the kind changed":     {strings.Replace(people, `"visibility"`, `"kind": "singleton", "visibility"`, 1), notes(text + "," + tags)},
	} {
		_, err := b.try(false, set...)
		if !fault.Is(err, fault.SchemaChangeDestructive) || !strings.Contains(fault.As(err).Detail, "pass allowDestructive") {
			t.Errorf("%s: %v", name, err)
		}
		if n := b.count(`SELECT count(*) FROM schema_push`); n != pushes {
			t.Fatalf("%s: %d pushes", name, n)
		}
		out, err := b.try(true, set...)
		b.ok(err)
		if out.Plan.Class != diff.Destructive || len(out.Versions) != len(set) {
			t.Errorf("%s: %+v", name, out)
		}
		_, err = b.try(true, before...) // the way back, to the first versions
		b.ok(err)
		pushes += 2
	}
	for _, name := range []string{"people", "notes"} {
		d, err := schemadeploy.Get(t.Context(), b.pool, b.id, name)
		b.ok(err)
		if d.Version != 1 {
			t.Errorf("%s is at version %d", name, d.Version)
		}
	}
}

func TestContentDecidesWhatIsConditional(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.push(people, notes(text))
	required, short := notes(`"text": {"type": "text", "required": true}`), notes(`"text": {"type": "text", "maxLength": 3}`)
	write := func(data string) *entry.Written {
		t.Helper()
		w, err := entry.Create(t.Context(), b.pool, access.System(), b.id, "notes", entry.Write{Data: jsontext.Value(data)})
		b.ok(err)
		return w
	}
	b.push(people, required)
	b.push(people, notes(text))
	empty, long := write(`{}`), write(`{"text": "long"}`)

	diffed, err := schemadeploy.Diff(t.Context(), b.pool, access.System(), b.id, []jsontext.Value{jsontext.Value(people), jsontext.Value(short)})
	b.ok(err)
	if diffed.Plan.Class != diff.ConditionallyDestructive || diffed.ContentErrorCount != 1 || diffed.ContentErrors[0].Entry != long.Entry.ID ||
		diffed.ContentErrors[0].Revision != long.Revision.ID || diffed.ContentErrors[0].Path != "fields.text" {
		t.Fatalf("%+v", diffed)
	}
	for _, test := range []struct {
		schema string
		entry  content.EntryID
		code   string
	}{{required, empty.Entry.ID, "required"}, {short, long.Entry.ID, "max_length"}} {
		_, err := b.try(true, people, test.schema)
		f := fault.As(err)
		if f.Code != fault.ValidationFailed || len(f.Items) != 1 || f.Items[0].ResourceID != string(test.entry) || f.Items[0].Code != test.code {
			t.Fatalf("%v: %+v", err, f.Items)
		}
	}
}

// What the change in the log promises is what its rows say.
func TestPushDigestMatchesItsContent(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.push(people, notes(text))
	m := &recordpb.Schema{FromRelease: 1}
	for _, name := range []string{"notes", "people"} {
		versions, err := schemadeploy.Versions(t.Context(), b.pool, b.id, name, postgres.Page{})
		b.ok(err)
		v := versions.Items[0]
		m.Collections = append(m.Collections, &recordpb.CollectionVersion{Name: name, Version: v.Number, Canonical: v.Canonical, Hash: v.Hash, Label: name})
	}
	want, err := record.Digest(record.KindSchema, m)
	b.ok(err)
	var got []byte
	b.ok(b.pool.QueryRow(t.Context(), `SELECT digest FROM change WHERE kind = 'schema'`).Scan(&got))
	if string(got) != string(want[:]) {
		t.Fatalf("digest %x, want %s", got, want)
	}
}

func TestAMalformedSetIsRefusedWhole(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, err := b.try(false, people, `{"name": "notes", "fields": {"text": {"type": "text", "maxLenght": 3}}}`)
	f := fault.As(err)
	if f.Code != fault.ValidationFailed || len(f.Items) != 1 || f.Items[0].Path != "collections[1].fields.text.maxLenght" {
		t.Fatalf("%v: %+v", err, f.Items)
	}
	if n := b.count(`SELECT count(*) FROM collection`); n != 0 {
		t.Fatalf("%d collections", n)
	}
}
