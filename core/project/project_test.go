package project_test

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"

	"svc/core/access"
	"svc/core/account"
	"svc/core/postgres"
	"svc/core/postgres/postgrestest"
	"svc/core/project"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("%v, want %s", err, code)
	}
}

func organization(t *testing.T) (*pgxpool.Pool, content.OrganizationID) {
	t.Helper()
	pool := postgrestest.Open(t)
	out, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
	ok(t, err)
	return pool, out.Organization.ID
}

// last is the newest change of the project's log.
func last(t *testing.T, pool *pgxpool.Pool, id content.ProjectID) *recordpb.Project {
	t.Helper()
	var body []byte
	ok(t, pool.QueryRow(t.Context(), `SELECT body FROM change WHERE log = $1 AND kind = 'project' ORDER BY seq DESC LIMIT 1`, id).Scan(&body))
	var p recordpb.Project
	ok(t, proto.Unmarshal(body, &p))
	return &p
}

func TestProjectsAreFoundByIDAndSlug(t *testing.T) {
	t.Parallel()
	pool, org := organization(t)
	p, err := project.Create(t.Context(), pool, access.System(), org, project.NewProject{Slug: "site", Name: "The site"})
	ok(t, err)
	if !p.PublicAPIEnabled || len(p.CursorKey) != 32 {
		t.Fatalf("%+v", p)
	}
	for _, ref := range []string{"site", string(p.ID)} {
		got, err := project.Get(t.Context(), pool, ref)
		ok(t, err)
		if got.ID != p.ID || got.Name != "The site" {
			t.Fatalf("%+v", got)
		}
	}
	_, err = project.Create(t.Context(), pool, access.System(), org, project.NewProject{Slug: "site"})
	refused(t, err, fault.Conflict)
	_, err = project.Create(t.Context(), pool, access.System(), org, project.NewProject{Slug: "Site"})
	refused(t, err, fault.ValidationFailed)
	if m := last(t, pool, p.ID); m.Slug != "site" || m.FromRelease != 1 || m.Organization != string(org) || string(m.CursorKey) != string(p.CursorKey) {
		t.Fatalf("%+v", m)
	}
}

func TestProjectsOfAnActor(t *testing.T) {
	t.Parallel()
	pool, org := organization(t)
	first, err := project.Create(t.Context(), pool, access.System(), org, project.NewProject{Slug: "first"})
	ok(t, err)
	second, err := project.Create(t.Context(), pool, access.System(), org, project.NewProject{Slug: "second"})
	ok(t, err)
	for _, test := range []struct {
		grant credential.Grant
		want  []content.ProjectID
	}{
		{credential.Grant{Organization: org}, []content.ProjectID{second.ID, first.ID}},
		{credential.Grant{Organization: org, Project: first.ID}, []content.ProjectID{first.ID}},
		{credential.Grant{Organization: "org_other"}, nil},
	} {
		list, err := project.List(t.Context(), pool, &access.Actor{Organization: test.grant.Organization, Grant: &test.grant}, postgres.Page{})
		ok(t, err)
		var got []content.ProjectID
		for _, p := range list.Items {
			got = append(got, p.ID)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%+v sees %v", test.grant, got)
		}
	}
}

// fitting is for projects without content.
func fitting(context.Context, postgres.Querier, *project.Project, *project.Project) error { return nil }

// What a project has is held against new locales; against other settings it is not. Refused ones change nothing.
func TestNewLocalesMustFit(t *testing.T) {
	t.Parallel()
	pool, org := organization(t)
	p, err := project.Create(t.Context(), pool, access.System(), org, project.NewProject{Slug: "site"})
	ok(t, err)
	asked, refusal := 0, error(nil)
	update := func(in project.Settings) error {
		asked = 0
		_, err := project.Update(t.Context(), pool, access.System(), p.ID, in, func(ctx context.Context, q postgres.Querier, before, after *project.Project) error {
			if asked++; slices.Equal(before.Locales, after.Locales) && before.DefaultLocale == after.DefaultLocale {
				t.Errorf("asked about %v, which it has", after.Locales)
			}
			return refusal
		})
		return err
	}
	locales, en, de, name := []string{"en", "de"}, "en", "de", "Name"
	ok(t, update(project.Settings{Locales: &locales, DefaultLocale: &en}))
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	ok(t, update(project.Settings{Locales: &locales, Name: &name}))
	if asked != 0 {
		t.Errorf("asked %d times about the locales that it has", asked)
	}
	refusal = fault.New(fault.Conflict, "no")
	refused(t, update(project.Settings{DefaultLocale: &de}), fault.Conflict)
	if got, err := project.Get(t.Context(), pool, "site"); err != nil || asked != 1 || got.DefaultLocale != en {
		t.Errorf("asked %d times; %+v, %v", asked, got, err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	pool, org := organization(t)
	p, err := project.Create(t.Context(), pool, access.System(), org, project.NewProject{Slug: "site"})
	ok(t, err)
	update := func(in project.Settings) (*project.Project, error) {
		return project.Update(t.Context(), pool, access.System(), p.ID, in, fitting)
	}
	locales, def, off, name := []string{"en", "pt-BR"}, "en", false, "New name"
	origins := []string{"HTTPS://Example.com:443/path/?q", "http://localhost:3000/", "https://example.com", "http://[::1]:80", "https://München.example"}
	got, err := update(project.Settings{Locales: &locales, DefaultLocale: &def, PublicAPIEnabled: &off, Name: &name, AllowedOrigins: &origins})
	ok(t, err)
	if want := []string{"https://example.com", "http://localhost:3000", "http://[::1]", "https://xn--mnchen-3ya.example"}; !slices.Equal(got.AllowedOrigins, want) {
		t.Fatalf("origins %v, want %v", got.AllowedOrigins, want)
	}
	m := last(t, pool, p.ID)
	if m.Name != name || m.PublicApiEnabled || !slices.Equal(m.Locales, locales) || m.DefaultLocale != "en" || m.Deleted {
		t.Fatalf("%+v", m)
	}
	var changes int
	_, err = update(project.Settings{Name: &name})
	ok(t, err)
	ok(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM change WHERE log = $1`, p.ID).Scan(&changes))
	if changes != 2 {
		t.Fatalf("%d changes: one that changes nothing is none", changes)
	}

	text := func(s string) *string { return &s }
	list := func(s ...string) *[]string { return &s }
	number := func(n int) *int { return &n }
	for name, in := range map[string]project.Settings{
		"a default that is no locale":  {DefaultLocale: text("fr")},
		"no default among locales":     {Locales: list("fr")},
		"a malformed locale":           {Locales: list("en", "e")},
		"a locale twice":               {Locales: list("en", "EN")},
		"an underscore":                {Locales: list("en", "pt_BR")},
		"a wildcard origin":            {AllowedOrigins: list("*")},
		"an origin without a scheme":   {AllowedOrigins: list("example.com")},
		"an origin of another scheme":  {AllowedOrigins: list("ftp://example.com")},
		"an origin with a user":        {AllowedOrigins: list("https://me@example.com")},
		"an empty name":                {Name: text("")},
		"approvals below none":         {RequiredApprovals: number(-1)},
		"a default without any locale": {Locales: list(), DefaultLocale: text("en")},
	} {
		if _, err := update(in); !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err = update(project.Settings{Locales: list()}); err != nil || got.DefaultLocale != "" {
		t.Fatalf("%+v, %v", got, err)
	}
}

func TestLocaleCodes(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"en": true, "pt-BR": true, "zh-Hant-TW": true, "es-419": true, "de-CH-1996": true, "en-x-pirate": true, "sl-rozaj-biske": true,
		"": false, "e": false, "en-": false, "-en": false, "en_US": false, "en us": false, "123": false, "en-US-": false, "de-\n": false,
	} {
		if project.IsLocale(code) != want {
			t.Errorf("%q: %v", code, !want)
		}
	}
}

func TestADeletedProjectIsGoneForEveryone(t *testing.T) {
	t.Parallel()
	pool, org := organization(t)
	p, err := project.Create(t.Context(), pool, access.System(), org, project.NewProject{Slug: "site"})
	ok(t, err)
	ok(t, project.Delete(t.Context(), pool, access.System(), p.ID))
	_, err = project.Get(t.Context(), pool, "site")
	refused(t, err, fault.NotFound)
	refused(t, project.Delete(t.Context(), pool, access.System(), p.ID), fault.NotFound)
	_, err = project.Update(t.Context(), pool, access.System(), p.ID, project.Settings{}, fitting)
	refused(t, err, fault.NotFound)
	if !last(t, pool, p.ID).Deleted {
		t.Fatal("the edges do not know")
	}
	// The slug stays taken, since links to the old project must not lead to a stranger's.
	_, err = project.Create(t.Context(), pool, access.System(), org, project.NewProject{Slug: "site"})
	refused(t, err, fault.Conflict)
}
