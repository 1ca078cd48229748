package client

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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
	Slug       string `json:"slug,omitempty"`
	Title      string `json:"title,omitempty"`
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
