package access_test

import (
	"testing"

	"svc/core/access"
	"svc/shared/credential"
	"svc/shared/fault"
)

func TestRequire(t *testing.T) {
	org := &access.Actor{Type: access.ActorAPIKey, ID: "key_o", Organization: "org_a",
		Grant: &credential.Grant{Organization: "org_a", Scopes: []credential.Scope{credential.ContentRead, credential.OrgAdmin}}}
	project := &access.Actor{Type: access.ActorAPIKey, ID: "key_p", Organization: "org_a",
		Grant: &credential.Grant{Organization: "org_a", Project: "prj_a", Collections: []string{"posts"},
			Scopes: []credential.Scope{credential.ContentRead, credential.OrgAdmin}}}
	for _, test := range []struct {
		name  string
		actor *access.Actor
		scope credential.Scope
		at    access.Place
		want  fault.Code
	}{
		{"nobody", nil, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_a"}, fault.AuthenticationRequired},
		{"the system", access.System(), credential.ContentWrite, access.Place{Organization: "org_b", Project: "prj_x", Collection: "x"}, ""},
		{"any project of the organization", org, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_b"}, ""},
		{"a project of another organization", org, credential.ContentRead, access.Place{Organization: "org_b", Project: "prj_x"}, fault.NotFound},
		{"without the scope", org, credential.ContentWrite, access.Place{Organization: "org_a", Project: "prj_a"}, fault.Forbidden},
		{"elsewhere and without the scope", org, credential.ContentWrite, access.Place{Organization: "org_b", Project: "prj_x"}, fault.NotFound},
		{"its organization", org, credential.OrgAdmin, access.Place{Organization: "org_a"}, ""},
		{"another organization", org, credential.OrgAdmin, access.Place{Organization: "org_b"}, fault.NotFound},
		{"its project", project, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_a", Collection: "posts"}, ""},
		{"another project", project, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_b"}, fault.NotFound},
		{"another collection", project, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_a", Collection: "pages"}, fault.Forbidden},
		{"the organization of its project", project, credential.OrgAdmin, access.Place{Organization: "org_a"}, fault.Forbidden},
	} {
		err := access.Require(test.actor, test.scope, test.at)
		if (err == nil) != (test.want == "") || err != nil && !fault.Is(err, test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
