// Package openapi makes the OpenAPI 3.1 document of the API from its route tables: the server hands over one Operation a route, with
// the Go types of its bodies, whose JSON Schemas are derived (schema.go). What parameters and headers mean is in parameters.go.
package openapi

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/problem"
)

// Operation is one route.
type Operation struct {
	Method  string
	Path    string // with parameters as :name
	Summary string
	Access  Access
	Scope   credential.Scope // that the credential must carry; empty: any credential will do
	Query   []string         // names of the query parameters
	Headers []string         // names of the request headers with a meaning of their own

	In      reflect.Type // of the JSON request body; nil where there is none
	Lines   reflect.Type // of each line, where the body may be application/x-ndjson too
	Out     reflect.Type // of the JSON response; nil where there is none
	Keyed   reflect.Type // of the response to callers whose credential lets them see more; nil where it is the same
	Status  int          // of the response; 0 is 200
	Caching bool         // the response has an ETag, and 304 answers If-None-Match
	Events  string       // describes the server-sent events of the response, whose data is Out; empty where it is JSON
}

// Access says what a caller needs.
type Access int

const (
	Credential Access = iota // a credential
	Mixed                    // none for what is public, a credential for the rest
	Anyone                   // nothing
)

type object = map[string]any

// Document is the document as JSON.
func Document(operations []Operation) ([]byte, error) {
	s := newSchemas()
	examples, err := Examples()
	if err != nil {
		return nil, err
	}
	paths := object{}
	for _, op := range operations {
		path := template(op.Path)
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path].(object)[strings.ToLower(op.Method)] = op.describe(s, examples[op.ID()])
		if s.err != nil {
			return nil, fmt.Errorf("describing %s %s: %w", op.Method, op.Path, s.err)
		}
	}
	document := s.of(reflect.TypeFor[problem.Document]())
	if s.err != nil {
		return nil, s.err
	}
	return json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "svc", "version": "1",
			"description": "A headless content service. Reads of published content are answered by edges; everything else by core, to which edges pass it on.",
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": []object{{"url": "/"}},
		"paths":   paths,
		"components": object{
			"schemas": s.definitions,
			"securitySchemes": object{"key": object{
				"type": "http", "scheme": "bearer", "description": "An API key: svc_sk_…",
			}},
			"responses": object{"Problem": object{
				"description": "The request was refused or failed; code says why (RFC 9457).",
				"headers":     requestID,
				"content":     object{problem.ContentType: object{"schema": document, "examples": refusals(examples)}},
			}},
		},
	}, json.Deterministic(true))
}

func (op Operation) describe(s *schemas, example Example) object {
	responses := object{
		strconv.Itoa(cmp.Or(op.Status, http.StatusOK)): op.success(s, example),
		"default": object{"$ref": "#/components/responses/Problem"},
	}
	if op.Caching {
		responses["304"] = object{"description": "What the caller holds is current.", "headers": requestID}
	}
	described := object{
		"operationId": op.ID(), "summary": op.Summary, "parameters": op.parameters(s), "responses": responses, "security": op.security(),
	}
	if op.Scope != "" {
		described["description"] = fmt.Sprintf("Needs the scope `%s`.", op.Scope)
	}
	if note, ok := notes[op.ID()]; ok {
		described["description"] = fmt.Sprintf("%s %s", described["description"], note)
	}
	if op.Events != "" {
		described["description"] = op.Events
	}
	if op.In != nil {
		content := object{"application/json": body(s.of(op.In), example.Request)}
		if op.Lines != nil {
			lines := object{"type": "string", "description": "One JSON object a line.", "contentSchema": s.of(op.Lines)}
			content["application/x-ndjson"] = body(lines, example.Lines)
		}
		described["requestBody"] = object{"required": true, "content": content}
	}
	return described
}

// notes say what surprises about an operation, by operationId.
var notes = map[string]string{
	"postProjectsChangeSetsPreviews": "The token also reads everything that is published, in private collections too where its maker may read those: " +
		"a token of one entry as well.",
}

func (op Operation) success(s *schemas, example Example) object {
	headers := maps.Clone(requestID)
	if op.Caching {
		maps.Copy(headers, readHeaders)
	}
	response := object{"description": op.Summary, "headers": headers}
	if op.Out != nil {
		var schema any = s.of(op.Out)
		if op.Keyed != nil {
			schema = object{"anyOf": []any{schema, s.of(op.Keyed)}}
		}
		kind := "application/json"
		if op.Events != "" {
			kind, schema = "text/event-stream", object{"type": "string", "contentSchema": schema}
		}
		answer := object{"schema": schema}
		if example.Response != nil {
			answer["examples"] = object{"answer": answered(example)}
		}
		response["content"] = object{kind: answer}
	}
	return response
}

// answered shows an answer, and what it is the answer to.
func answered(e Example) object { return object{"summary": e.Of, "value": e.Response} }

// refusals are examples of problems, by their code.
func refusals(examples map[string]Example) object {
	all := object{}
	for _, code := range fault.Codes() {
		if e, found := examples[string(code)]; found {
			all[string(code)] = answered(e)
		}
	}
	return all
}

// body describes a body of a request by its schema, and an example where there is one.
func body(schema any, example jsontext.Value) object {
	described := object{"schema": schema}
	if example != nil {
		described["example"] = example
	}
	return described
}

func (op Operation) security() []object {
	scopes := []credential.Scope{}
	if op.Scope != "" {
		scopes = append(scopes, op.Scope)
	}
	switch op.Access {
	case Anyone:
		return []object{}
	case Mixed:
		return []object{{}, {"key": scopes}}
	}
	return []object{{"key": scopes}}
}

// ID names an operation for generated clients: the method and the path, without the parameters inside of it.
func (op Operation) ID() string {
	parts := strings.FieldsFunc(strings.TrimPrefix(op.Path, "/v1"), func(r rune) bool { return strings.ContainsRune("/-.", r) })
	id := strings.ToLower(op.Method)
	for i, part := range parts {
		name, parameter := strings.CutPrefix(part, ":")
		if !parameter || i == len(parts)-1 {
			id += strings.ToUpper(name[:1]) + name[1:]
		}
	}
	return id
}

// template is a path with its parameters as {name}.
func template(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, found := strings.CutPrefix(part, ":"); found {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}
