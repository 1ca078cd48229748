package credential

import "slices"

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
