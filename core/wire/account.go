package wire

import (
	"time"

	"svc/shared/content"
	"svc/shared/credential"
)

// Organization owns projects and keys.
type Organization struct {
	ID        content.OrganizationID `json:"id"`
	Slug      string                 `json:"slug"`
	Name      string                 `json:"name"`
	CreatedAt Time                   `json:"createdAt"`
}

// NewOrganization founds an organization.
type NewOrganization struct {
	Slug string `json:"slug"`
	Name string `json:"name,omitempty"`
}

// FoundedOrganization is a new organization and the first key to it, whose secret is shown this once.
type FoundedOrganization struct {
	Organization
	Key    Key    `json:"key"`
	Secret string `json:"secret"`
}

// OrganizationEdit changes what it names.
type OrganizationEdit struct {
	Slug Optional[string] `json:"slug,omitzero"`
	Name Optional[string] `json:"name,omitzero"`
}

// Identity is who a credential stands for.
type Identity struct {
	Type         string             `json:"type" enum:"user,api_key,agent"`
	ID           string             `json:"id"`
	Label        string             `json:"label"`
	Organization Organization       `json:"organization"`
	Project      *content.ProjectID `json:"projectId"` // null: every project of the organization
	Scopes       []credential.Scope `json:"scopes"`
	Collections  []string           `json:"collections"` // empty: every collection
	ExpiresAt    Time               `json:"expiresAt"`
}

// Key is an API key without its secret.
type Key struct {
	ID          content.KeyID      `json:"id"`
	PublicID    string             `json:"publicId"`
	Label       string             `json:"label"`
	Project     *content.ProjectID `json:"projectId"`
	Scopes      []credential.Scope `json:"scopes"`
	Collections []string           `json:"collections"`
	CreatedBy   *string            `json:"createdBy"`
	CreatedAt   Time               `json:"createdAt"`
	ExpiresAt   Time               `json:"expiresAt"`
	RevokedAt   Time               `json:"revokedAt"`
	LastUsedAt  Time               `json:"lastUsedAt"`
}

// NewKey asks for a key. Without collections it reaches every one; without an expiry it lives until it is revoked.
type NewKey struct {
	Label       string             `json:"label"`
	Scopes      []credential.Scope `json:"scopes"`
	ExpiresAt   *time.Time         `json:"expiresAt,omitempty"`
	Collections []string           `json:"collections,omitempty"`
}

// MintedKey is a new key with its secret, which is shown this once.
type MintedKey struct {
	Key    Key    `json:"key"`
	Secret string `json:"secret"`
}

// Project is a project with its settings.
type Project struct {
	ID                content.ProjectID      `json:"id"`
	Organization      content.OrganizationID `json:"organizationId"`
	Slug              string                 `json:"slug"`
	Name              string                 `json:"name"`
	PublicAPIEnabled  bool                   `json:"publicApiEnabled"`
	AllowedOrigins    []string               `json:"allowedOrigins"`
	Locales           []string               `json:"locales"`
	DefaultLocale     *string                `json:"defaultLocale"`
	Guidance          *string                `json:"guidance"`
	RequiredApprovals int                    `json:"requiredApprovals"`
	RequireChecksPass bool                   `json:"requireChecksPass"`
	Pin               *Pin                   `json:"pin"` // null: reads answer from the newest release
	CreatedAt         Time                   `json:"createdAt"`
	UpdatedAt         Time                   `json:"updatedAt"`
}

// NewProject creates a project.
type NewProject struct {
	Name string `json:"name,omitempty"`
	Slug string `json:"slug"`
}

// ProjectSettings changes what it names.
type ProjectSettings struct {
	Name              Optional[string]   `json:"name,omitzero"`
	PublicAPIEnabled  Optional[bool]     `json:"publicApiEnabled,omitzero"`
	AllowedOrigins    Optional[[]string] `json:"allowedOrigins,omitzero"`
	Locales           Optional[[]string] `json:"locales,omitzero"`
	DefaultLocale     Clearable          `json:"defaultLocale,omitzero"`
	Guidance          Clearable          `json:"guidance,omitzero"`
	RequiredApprovals Optional[int]      `json:"requiredApprovals,omitzero"`
	RequireChecksPass Optional[bool]     `json:"requireChecksPass,omitzero"`
}

// Pin is the release that reads without "at" answer from, on every node.
type Pin struct {
	Release  uint64  `json:"release"`
	Reason   *string `json:"reason"`
	PinnedBy *string `json:"pinnedBy"` // null: the system
	PinnedAt Time    `json:"pinnedAt"`
}

// NewPin pins a project to a release.
type NewPin struct {
	Release *uint64 `json:"release"`
	Reason  string  `json:"reason,omitempty"`
}
