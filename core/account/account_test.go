package account_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/account"
	"svc/core/postgres"
	"svc/core/postgres/postgrestest"
	"svc/core/project"
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

func refused(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("%v, want %s", err, code)
	}
	return fault.As(err)
}

func authenticate(t *testing.T, pool *pgxpool.Pool, secret string) *access.Actor {
	t.Helper()
	actor, err := access.Authenticate(t.Context(), pool, "Bearer "+secret)
	ok(t, err)
	return actor
}

func TestBootstrapOnceOnly(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	var won atomic.Int32
	var first account.Founded
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			out, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
			switch {
			case err == nil:
				won.Add(1)
				first = out
			case !fault.Is(err, fault.Conflict):
				t.Error(err)
			}
		})
	}
	group.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d first organizations", won.Load())
	}
	actor := authenticate(t, pool, first.Secret)
	if len(actor.Grant.Scopes) != len(credential.Scopes()) || actor.Organization != first.Organization.ID || actor.Label != "first" {
		t.Fatalf("%+v", actor)
	}
	var changes string
	ok(t, pool.QueryRow(t.Context(), `SELECT string_agg(kind, ' ' ORDER BY seq) FROM change WHERE log = $1`, first.Organization.ID).Scan(&changes))
	if changes != "organization key" {
		t.Fatalf("the log has %s", changes)
	}
	var stored int
	ok(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM api_key WHERE position(convert_to($1, 'UTF8') IN hash) > 0 OR label LIKE '%' || $1 || '%'`,
		first.Secret[len(first.Secret)-20:]).Scan(&stored))
	if stored != 0 {
		t.Fatal("the secret is stored")
	}
}

func TestOrganizations(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	first, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
	ok(t, err)
	actor := authenticate(t, pool, first.Secret)
	second, err := account.CreateOrganization(t.Context(), pool, actor, account.NewOrganization{Slug: "other", Name: "Other"}, "owner")
	ok(t, err)
	_, err = account.CreateOrganization(t.Context(), pool, actor, account.NewOrganization{Slug: "acme"}, "owner")
	refused(t, err, fault.Conflict)
	_, err = account.CreateOrganization(t.Context(), pool, actor, account.NewOrganization{Slug: "No Slug"}, "owner")
	refused(t, err, fault.ValidationFailed)
	for _, ref := range []string{"other", string(second.Organization.ID)} {
		got, err := account.GetOrganization(t.Context(), pool, ref)
		ok(t, err)
		if got.Name != "Other" {
			t.Fatalf("%+v", got)
		}
	}
	_, err = account.GetOrganization(t.Context(), pool, "none")
	refused(t, err, fault.NotFound)
	list, err := account.ListOrganizations(t.Context(), pool, actor, postgres.Page{})
	ok(t, err)
	if len(list.Items) != 1 || list.Items[0].Slug != "acme" {
		t.Fatalf("an actor sees its own organization: %+v", list.Items)
	}
	if list, err = account.ListOrganizations(t.Context(), pool, access.System(), postgres.Page{}); err != nil || len(list.Items) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := account.GetOrganization(t.Context(), pool, string(authenticate(t, pool, second.Secret).Organization)); err != nil {
		t.Fatal(err)
	}
}

// TestPlans: an organization is unlimited until it is put on another plan, which the audit trail tells.
func TestPlans(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	made, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
	ok(t, err)
	if made.Organization.Plan != account.PlanUnlimited {
		t.Errorf("a new organization has the plan %q", made.Organization.Plan)
	}
	for _, plan := range append(account.Plans(), account.PlanUnlimited) {
		for _, ref := range []string{"acme", string(made.Organization.ID)} {
			set, err := account.SetPlan(t.Context(), pool, access.System(), ref, plan)
			ok(t, err)
			read, err := account.GetOrganization(t.Context(), pool, ref)
			ok(t, err)
			if set.Plan != plan || *read != *set {
				t.Errorf("%s: %+v is read as %+v", plan, set, read)
			}
		}
	}
	var changes string
	ok(t, pool.QueryRow(t.Context(), `SELECT string_agg((detail::json)->>'before' || ' ' || ((detail::json)->>'plan'), ', ' ORDER BY id) FROM audit_event WHERE action = 'organization.update'`).Scan(&changes))
	if changes != "unlimited free, free pro, pro unlimited" {
		t.Errorf("the audit trail has %s", changes)
	}
	_, err = account.SetPlan(t.Context(), pool, access.System(), "acme", "enterprise")
	refused(t, err, fault.ValidationFailed)
	_, err = account.SetPlan(t.Context(), pool, access.System(), "globex", account.PlanFree)
	refused(t, err, fault.NotFound)
}

func TestMintedKeysNeverExceedTheirMaker(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	first, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
	ok(t, err)
	root, org := authenticate(t, pool, first.Secret), first.Organization.ID
	p, err := project.Create(t.Context(), pool, root, org, project.NewProject{Slug: "site"})
	ok(t, err)
	other, err := project.Create(t.Context(), pool, root, org, project.NewProject{Slug: "other"})
	ok(t, err)
	mint := func(actor *access.Actor, in account.NewKey) (account.Key, string, error) {
		in.Organization = org
		if in.Label == "" {
			in.Label = "key"
		}
		return account.MintKey(t.Context(), pool, actor, in)
	}
	deploy := func(p content.ProjectID, names ...string) {
		for _, name := range names {
			_, err := pool.Exec(t.Context(), `INSERT INTO collection (project_id, name, version, label) VALUES ($1, $2, 1, '')`, p, name)
			ok(t, err)
		}
	}
	deploy(p.ID, "posts", "pages", "secrets")
	deploy(other.ID, "notes", "old")
	_, err = pool.Exec(t.Context(), `UPDATE collection SET removed_at = now() WHERE name = 'old'`)
	ok(t, err)
	read := []credential.Scope{credential.ContentRead}
	_, secret, err := mint(root, account.NewKey{Project: p.ID, Scopes: []credential.Scope{credential.ContentWrite, credential.ContentRead, credential.ContentRead},
		Collections: []string{"posts", "pages"}})
	ok(t, err)
	small := authenticate(t, pool, secret)
	if got := small.Grant; got.Project != p.ID || len(got.Scopes) != 2 || len(got.Collections) != 2 {
		t.Fatalf("%+v", got)
	}
	for name, test := range map[string]struct {
		actor *access.Actor
		in    account.NewKey
		want  fault.Code
	}{
		"no scope":                  {root, account.NewKey{}, fault.ValidationFailed},
		"an unknown scope":          {root, account.NewKey{Scopes: []credential.Scope{"all:things"}}, fault.ValidationFailed},
		"an expiry in the past":     {root, account.NewKey{Scopes: read, ExpiresAt: time.Now().Add(-time.Minute)}, fault.ValidationFailed},
		"an empty collection":       {root, account.NewKey{Scopes: read, Collections: []string{""}}, fault.ValidationFailed},
		"an unknown collection":     {root, account.NewKey{Project: p.ID, Scopes: read, Collections: []string{"posts", "notes"}}, fault.ValidationFailed},
		"one that is known to none": {root, account.NewKey{Scopes: read, Collections: []string{"psots"}}, fault.ValidationFailed},
		"one that was removed":      {root, account.NewKey{Scopes: read, Collections: []string{"old"}}, fault.ValidationFailed},
		"those of several projects": {root, account.NewKey{Scopes: read, Collections: []string{"posts", "notes"}}, ""},
		"a long label":              {root, account.NewKey{Scopes: read, Label: strings.Repeat("x", 201)}, fault.ValidationFailed},
		"a further scope":           {small, account.NewKey{Project: p.ID, Scopes: []credential.Scope{credential.ProjectAdmin}, Collections: []string{"posts"}}, fault.Forbidden},
		"another project":           {small, account.NewKey{Project: other.ID, Scopes: read, Collections: []string{"posts"}}, fault.Forbidden},
		"every project":             {small, account.NewKey{Scopes: read, Collections: []string{"posts"}}, fault.Forbidden},
		"every collection":          {small, account.NewKey{Project: p.ID, Scopes: read}, fault.Forbidden},
		"another collection":        {small, account.NewKey{Project: p.ID, Scopes: read, Collections: []string{"posts", "secrets"}}, fault.Forbidden},
		"no more than its own":      {small, account.NewKey{Project: p.ID, Scopes: read, Collections: []string{"posts"}}, ""},
	} {
		_, _, err := mint(test.actor, test.in)
		if (err == nil) != (test.want == "") || err != nil && !fault.Is(err, test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// A maker who is confined is told of no other collections.
func TestAKeyForAnUnknownCollectionNamesThoseThatThereAre(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	first, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
	ok(t, err)
	root, org := authenticate(t, pool, first.Secret), first.Organization.ID
	p, err := project.Create(t.Context(), pool, root, org, project.NewProject{Slug: "site"})
	ok(t, err)
	in := account.NewKey{Organization: org, Project: p.ID, Label: "key", Scopes: []credential.Scope{credential.ContentRead}, Collections: []string{"posts"}}
	said := func(actor *access.Actor, want string) {
		t.Helper()
		_, _, err := account.MintKey(t.Context(), pool, actor, in)
		if f := fault.As(err); !fault.Is(err, fault.ValidationFailed) || f.Detail != want || f.Items[0].Path != "collections[0]" {
			t.Errorf("%v, want %s", err, want)
		}
	}
	said(root, `collections[0]: the project has no collection "posts"; there are: none yet`)
	_, err = pool.Exec(t.Context(), `INSERT INTO collection (project_id, name, version, label) VALUES ($1, 'pages', 1, ''), ($1, 'blog', 1, '')`, p.ID)
	ok(t, err)
	said(root, `collections[0]: the project has no collection "posts"; there are: blog, pages`)
	confined := *root
	grant := *root.Grant
	grant.Collections = []string{"posts"}
	confined.Grant = &grant
	said(&confined, `collections[0]: the project has no collection "posts"; there are: none yet`)
}

func TestKeysListExpireAndAreRevoked(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	first, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
	ok(t, err)
	root, org := authenticate(t, pool, first.Secret), first.Organization.ID
	key, secret, err := account.MintKey(t.Context(), pool, root, account.NewKey{
		Organization: org, Label: "short", Scopes: []credential.Scope{credential.ContentRead}, ExpiresAt: time.Now().Add(time.Hour)})
	ok(t, err)
	authenticate(t, pool, secret)
	list, err := account.ListKeys(t.Context(), pool, org, "", postgres.Page{Limit: 1})
	ok(t, err)
	if len(list.Items) != 1 || list.Items[0].ID != key.ID || list.NextCursor == "" || list.Items[0].LastUsedAt.IsZero() {
		t.Fatalf("%+v", list)
	}
	if list, err = account.ListKeys(t.Context(), pool, org, "", postgres.Page{Cursor: list.NextCursor}); err != nil || len(list.Items) != 1 || list.Items[0].ID != first.Key.ID {
		t.Fatalf("%+v, %v", list, err)
	}

	_, err = pool.Exec(t.Context(), `UPDATE api_key SET expires_at = now() WHERE id = $1`, key.ID)
	ok(t, err)
	_, err = access.Authenticate(t.Context(), pool, "Bearer "+secret)
	refused(t, err, fault.AuthenticationRequired)

	for range 2 { // the second changes nothing
		revoked, err := account.RevokeKey(t.Context(), pool, root, org, "", string(first.Key.ID))
		ok(t, err)
		if revoked.RevokedAt.IsZero() {
			t.Fatalf("%+v", revoked)
		}
	}
	_, err = access.Authenticate(t.Context(), pool, "Bearer "+first.Secret)
	refused(t, err, fault.AuthenticationRequired)
	var changes int
	ok(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM change WHERE log = $1 AND kind = 'key'`, org).Scan(&changes))
	if changes != 3 {
		t.Fatalf("%d key changes in the log", changes)
	}
	_, err = account.RevokeKey(t.Context(), pool, root, content.NewID[content.OrganizationID](), "", string(first.Key.ID))
	refused(t, err, fault.NotFound)
	_, err = account.RevokeKey(t.Context(), pool, root, org, content.NewID[content.ProjectID](), string(first.Key.ID))
	refused(t, err, fault.NotFound)
}

func TestAuthenticateRefusesWhatIsNoKeyOfOurs(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	first, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
	ok(t, err)
	last := first.Secret[len(first.Secret)-1:]
	swapped := map[bool]string{true: "b", false: "a"}[last == "a"]
	for _, header := range []string{"", "Bearer x", "Bearer " + credential.Mint(credential.APIKey).Text(),
		"Bearer " + credential.Mint(credential.PreviewToken).Text(), "Bearer " + first.Secret[:len(first.Secret)-1] + swapped} {
		_, err := access.Authenticate(t.Context(), pool, header)
		refused(t, err, fault.AuthenticationRequired)
	}
	_, err = pool.Exec(t.Context(), `UPDATE organization SET deleted_at = now()`)
	ok(t, err)
	_, err = access.Authenticate(t.Context(), pool, "Bearer "+first.Secret)
	refused(t, err, fault.AuthenticationRequired)
}

func TestLastUseIsNotedOnceAMinute(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	first, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
	ok(t, err)
	used := func() (at time.Time) {
		t.Helper()
		authenticate(t, pool, first.Secret)
		ok(t, pool.QueryRow(t.Context(), `SELECT last_used_at FROM api_key`).Scan(&at))
		return at
	}
	once := used()
	if !used().Equal(once) {
		t.Fatal("noted twice in a minute")
	}
	_, err = pool.Exec(t.Context(), `UPDATE api_key SET last_used_at = last_used_at - interval '61 seconds'`)
	ok(t, err)
	if !used().After(once) {
		t.Fatal("not noted after a minute")
	}
}
