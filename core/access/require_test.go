package access_test

import (
	"testing"

	"svc/core/access"
	"svc/shared/credential"
	"svc/shared/fault"
)

func TestChecksAreMadeInTheirOrder(t *testing.T) {
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
		whole bool
		check access.Check
		want  fault.Code
	}{
		{"no caller", nil, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_a"}, false, access.CheckCredential, fault.AuthenticationRequired},
		{"the system", access.System(), credential.ContentWrite, access.Place{Organization: "org_b", Project: "prj_x", Collection: "x"}, false, "", ""},
		{"any project of the organization", org, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_b"}, false, "", ""},
		{"a project of another organization", org, credential.ContentRead, access.Place{Organization: "org_b", Project: "prj_x"}, false, access.CheckProject, fault.NotFound},
		{"without the scope", org, credential.ContentWrite, access.Place{Organization: "org_a", Project: "prj_a"}, false, access.CheckCapability, fault.Forbidden},
		{"elsewhere and without the scope", org, credential.ContentWrite, access.Place{Organization: "org_b", Project: "prj_x"}, false, access.CheckProject, fault.NotFound},
		{"its organization", org, credential.OrgAdmin, access.Place{Organization: "org_a"}, false, "", ""},
		{"another organization", org, credential.OrgAdmin, access.Place{Organization: "org_b"}, false, access.CheckProject, fault.NotFound},
		{"its project", project, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_a", Collection: "posts"}, false, "", ""},
		{"another project", project, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_b"}, false, access.CheckProject, fault.NotFound},
		{"another collection", project, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_a", Collection: "pages"}, false, access.CheckCollection, fault.Forbidden},
		{"the organization of its project", project, credential.OrgAdmin, access.Place{Organization: "org_a"}, false, access.CheckCapability, fault.Forbidden},
		{"beyond its collections", project, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_a"}, true, access.CheckCollection, fault.Forbidden},
		{"beyond collections, without being confined", org, credential.ContentRead, access.Place{Organization: "org_a", Project: "prj_a"}, true, "", ""},
		{"nothing that could be out of reach", project, "", access.Place{}, false, "", ""},
	} {
		refused, err := access.Explain(test.actor, access.Need{Place: test.at, Scope: test.scope, Whole: test.whole})
		if (err == nil) != (test.want == "") || err != nil && !fault.Is(err, test.want) || refused != test.check {
			t.Errorf("%s: refused at %q with %v, want %q with %q", test.name, refused, err, test.check, test.want)
		}
	}
}
