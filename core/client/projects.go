package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Organization owns projects and keys.
type Organization struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// Project is a project with the settings that clients of this package use.
type Project struct {
	ID               string   `json:"id"`
	OrganizationID   string   `json:"organizationId"`
	Slug             string   `json:"slug"`
	Name             string   `json:"name"`
	PublicAPIEnabled bool     `json:"publicApiEnabled"`
	Locales          []string `json:"locales"`
	DefaultLocale    *string  `json:"defaultLocale"`
	Pin              *Pin     `json:"pin"` // nil: reads answer the newest release
}

// Identity is who a credential stands for.
type Identity struct {
	Type         string       `json:"type"`
	ID           string       `json:"id"`
	Label        string       `json:"label"`
	Organization Organization `json:"organization"`
	ProjectID    *string      `json:"projectId"`
	Scopes       []string     `json:"scopes"`
	Collections  []string     `json:"collections"`
	ExpiresAt    *time.Time   `json:"expiresAt"`
}

// Whoami identifies the credential.
func (c *Client) Whoami(ctx context.Context) (Identity, error) {
	return one[Identity](ctx, c, http.MethodGet, "/v1/auth/whoami", nil)
}

// Organizations lists the organizations of the credential.
func (c *Client) Organizations(ctx context.Context) ([]Organization, error) {
	return all[Organization](ctx, c, "/v1/organizations", nil)
}

// CreateProject makes a project in an organization.
func (c *Client) CreateProject(ctx context.Context, organization, name, slug string) (Project, error) {
	in := map[string]string{"name": name, "slug": slug}
	return one[Project](ctx, c, http.MethodPost, "/v1/organizations/"+url.PathEscape(organization)+"/projects", in)
}

// Project reads a project by id or slug.
func (c *Client) Project(ctx context.Context, project string) (Project, error) {
	return one[Project](ctx, c, http.MethodGet, projectPath(project), nil)
}

// UpdateProject changes the named settings.
func (c *Client) UpdateProject(ctx context.Context, project string, settings map[string]any) (Project, error) {
	return one[Project](ctx, c, http.MethodPatch, projectPath(project), settings)
}

// Key is an API key, without its secret.
type Key struct {
	ID       string `json:"id"`
	PublicID string `json:"publicId"`
	Label    string `json:"label"`
}

// NewKey asks for a key; an empty project makes one for the whole organization.
type NewKey struct {
	Label       string     `json:"label"`
	Scopes      []string   `json:"scopes"`
	Collections []string   `json:"collections,omitempty"`
	ExpiresAt   *time.Time `json:"expiresAt,omitempty"`
}

// MintedKey is a key with its secret, which is shown this once.
type MintedKey struct {
	Key    Key    `json:"key"`
	Secret string `json:"secret"`
}

// MintProjectKey makes a key that is confined to a project.
func (c *Client) MintProjectKey(ctx context.Context, project string, in NewKey) (MintedKey, error) {
	return bare[MintedKey](ctx, c, http.MethodPost, projectPath(project, "api-keys"), in)
}

// RevokeProjectKey ends a project's key.
func (c *Client) RevokeProjectKey(ctx context.Context, project, key string) error {
	return c.call(ctx, http.MethodDelete, projectPath(project, "api-keys", key), nil, nil)
}

// MintOrganizationKey makes a key for every project of an organization.
func (c *Client) MintOrganizationKey(ctx context.Context, organization string, in NewKey) (MintedKey, error) {
	return bare[MintedKey](ctx, c, http.MethodPost, "/v1/organizations/"+url.PathEscape(organization)+"/api-keys", in)
}

// RevokeOrganizationKey ends an organization's key.
func (c *Client) RevokeOrganizationKey(ctx context.Context, organization, key string) error {
	return c.call(ctx, http.MethodDelete, "/v1/organizations/"+url.PathEscape(organization)+"/api-keys/"+url.PathEscape(key), nil, nil)
}

// Plan is what a schema push would do, or did.
type Plan struct {
	Operations        []Operation      `json:"operations"`
	Classification    string           `json:"classification"`
	ContentErrors     []ContentError   `json:"contentErrors"`
	ContentErrorCount int              `json:"contentErrorCount"`
	ContentChecked    bool             `json:"contentChecked"` // false: the key may not read content, so it was left alone
	InSync            bool             `json:"inSync"`
	Versions          map[string]int64 `json:"versions"`
	ConfinedTo        []string         `json:"confinedTo"` // the collections that a confined key sees, and the plan is about; empty: all
}

// Operation is one change of a plan; Field is empty for a change of the collection itself.
type Operation struct {
	Collection     string `json:"collection"`
	Field          string `json:"field"`
	Kind           string `json:"kind"`
	Classification string `json:"classification"`
	Message        string `json:"message"`
}

// ContentError is an entry that would not fit the proposed schemas.
type ContentError struct {
	EntryID    string `json:"entryId"`
	Collection string `json:"collection"`
	RevisionID string `json:"revisionId"`
	Path       string `json:"path"`
	Code       string `json:"code"`
	Message    string `json:"message"`
}

type schemaSet struct {
	Collections      []jsontext.Value `json:"collections"`
	AllowDestructive bool             `json:"allowDestructive,omitzero"`
	Summary          string           `json:"summary,omitempty"`
}

// SchemaBytes is how large a push of these collections is at most, and so is a comparison with them, in bytes. The service
// takes schema.MaxSetBytes.
func SchemaBytes(collections []jsontext.Value, summary string) (int, error) {
	encoded, err := json.Marshal(schemaSet{Collections: collections, AllowDestructive: true, Summary: summary})
	if err != nil {
		return 0, fmt.Errorf("encoding the schemas: %w", err)
	}
	return len(encoded), nil
}

// DiffSchema tells what pushing these collections would do.
func (c *Client) DiffSchema(ctx context.Context, project string, collections []jsontext.Value) (Plan, error) {
	return bare[Plan](ctx, c, http.MethodPost, projectPath(project, "schema", "diff"), schemaSet{Collections: collections})
}

// PushSchema deploys these collections, which are the whole set.
func (c *Client) PushSchema(ctx context.Context, project string, collections []jsontext.Value, allowDestructive bool, summary string) (Plan, error) {
	in := schemaSet{Collections: collections, AllowDestructive: allowDestructive, Summary: summary}
	return bare[Plan](ctx, c, http.MethodPost, projectPath(project, "schema", "push"), in)
}

// DeployedSchema is the set in force.
type DeployedSchema struct {
	Collections []DeployedCollection `json:"collections"`
}

// DeployedCollection is a collection at its live version, as canonical JSON.
type DeployedCollection struct {
	Name    string         `json:"name"`
	Version int64          `json:"version"`
	Hash    string         `json:"hash"`
	Schema  jsontext.Value `json:"schema"`
}

// Schema reads the set in force.
func (c *Client) Schema(ctx context.Context, project string) (DeployedSchema, error) {
	return one[DeployedSchema](ctx, c, http.MethodGet, projectPath(project, "schema"), nil)
}

// Alarm is a state of a program that needs an operator. Log is empty where it is about the whole program.
type Alarm struct {
	Alarm  string    `json:"alarm"`
	Log    string    `json:"log"`
	Detail string    `json:"detail"`
	Since  time.Time `json:"since"`
}

// Core is one core as it last reported itself.
type Core struct {
	Name       string    `json:"name"`
	Build      string    `json:"build"`
	StartedAt  time.Time `json:"startedAt"`
	ReportedAt time.Time `json:"reportedAt"`
	Ready      bool      `json:"ready"`
	Reasons    []string  `json:"reasons"`
	Alarms     []Alarm   `json:"alarms"`
}

// Cores lists the cores, the one that answers first.
func (c *Client) Cores(ctx context.Context) ([]Core, error) {
	p, err := page[Core](ctx, c, "/v1/cores", nil)
	return p.Items, err
}

// Edge is one edge node as the fleet view shows it.
type Edge struct {
	ID         string    `json:"id"`
	Build      string    `json:"build"`
	StartedAt  time.Time `json:"startedAt"`
	ReportedAt time.Time `json:"reportedAt"`
	Ready      bool      `json:"ready"`
	Reasons    []string  `json:"reasons"`
	Alarms     []Alarm   `json:"alarms"`
	Logs       []EdgeLog `json:"logs"`
}

// EdgeLog is where an edge stands in one log.
type EdgeLog struct {
	Log       string  `json:"log"`
	Epoch     uint64  `json:"epoch"`
	Seq       uint64  `json:"seq"`
	Head      uint64  `json:"head"`
	Behind    uint64  `json:"behind"`
	LagMS     float64 `json:"lagMs"`
	Chain     string  `json:"chain"`
	StateHash string  `json:"stateHash"`
	Release   *uint64 `json:"release"` // the newest one; nil of an organization's log
	Pinned    *uint64 `json:"pinned"`  // the release that reads answer instead
	Alarm     string  `json:"alarm"`
}

// Edges lists the fleet with positions and lag.
func (c *Client) Edges(ctx context.Context) ([]Edge, error) {
	p, err := page[Edge](ctx, c, "/v1/edges", nil)
	return p.Items, err
}
