package credential

import (
	"slices"
	"time"

	"svc/shared/content"
)

// Grant is what a stored API key allows. It holds no secret, only the hash to verify one.
type Grant struct {
	Key          content.KeyID
	PublicID     string
	Hash         Hash
	Organization content.OrganizationID
	Project      content.ProjectID // empty: every project of the organization
	Scopes       []Scope
	Collections  []string  // empty: every collection
	ExpiresAt    time.Time // zero: never
	Revoked      bool
}

// Live reports whether the key is neither revoked nor expired at now.
func (g *Grant) Live(now time.Time) bool {
	return !g.Revoked && (g.ExpiresAt.IsZero() || now.Before(g.ExpiresAt))
}

// Has reports whether the key carries a scope.
func (g *Grant) Has(s Scope) bool { return slices.Contains(g.Scopes, s) }

// Reaches reports whether the key may touch a project of an organization at all.
func (g *Grant) Reaches(org content.OrganizationID, project content.ProjectID) bool {
	return g.Organization == org && (g.Project == "" || g.Project == project)
}

// Covers reports whether the key is not confined to other collections.
func (g *Grant) Covers(collection string) bool {
	return len(g.Collections) == 0 || slices.Contains(g.Collections, collection)
}

// Scope is one capability of a key.
type Scope string

const (
	AssetsRead     Scope = "assets:read"
	AssetsWrite    Scope = "assets:write"
	AssetsDelete   Scope = "assets:delete"
	ContentRead    Scope = "content:read"
	ContentWrite   Scope = "content:write"
	ContentPublish Scope = "content:publish"
	ContentReview  Scope = "content:review"
	SchemaRead     Scope = "schema:read"
	SchemaWrite    Scope = "schema:write"
	WebhooksManage Scope = "webhooks:manage"
	ReportsRead    Scope = "reports:read"
	ReportsWrite   Scope = "reports:write"
	AnalyticsRead  Scope = "analytics:read"
	AnalyticsWrite Scope = "analytics:write"
	ProjectAdmin   Scope = "project:admin"
	OrgAdmin       Scope = "org:admin"
)

// Scopes lists every scope.
func Scopes() []Scope {
	return []Scope{
		AssetsRead, AssetsWrite, AssetsDelete, ContentRead, ContentWrite, ContentPublish, ContentReview, SchemaRead,
		SchemaWrite, WebhooksManage, ReportsRead, ReportsWrite, AnalyticsRead, AnalyticsWrite, ProjectAdmin, OrgAdmin,
	}
}

// Known reports whether s is a scope.
func (s Scope) Known() bool { return slices.Contains(Scopes(), s) }
