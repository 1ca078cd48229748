package openapi

import (
	_ "embed"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Example is a request that the API took or refused, and its response.
type Example struct {
	Of       string         `json:"of,omitzero"` // what was asked for: "GET /v1/meta"
	Request  jsontext.Value `json:"request,omitzero"`
	Lines    jsontext.Value `json:"lines,omitzero"`    // the text of a body of lines
	Response jsontext.Value `json:"response,omitzero"` // of events, their text
}

// examplesJSON is written by the test of the document (deploy/e2e), which also holds it against what the API answers now.
//
//go:embed examples.json
var examplesJSON []byte

// Examples are those of the operations, by operationId, and those of refusals, by code.
func Examples() (map[string]Example, error) {
	var all map[string]Example
	if err := json.Unmarshal(examplesJSON, &all); err != nil {
		return nil, fmt.Errorf("reading the examples: %w", err)
	}
	return all, nil
}
