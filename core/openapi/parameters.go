package openapi

import (
	"fmt"
	"strings"

	"svc/shared/content"
)

// A parameter means the same wherever it stands.
var (
	inPath = map[string]string{
		"organization": "Id or slug of an organization.",
		"project":      "Id or slug of a project.",
		"collection":   "Key of a collection.",
		"entry":        "Id of an entry.",
		"slug":         "Slug or id of an entry.",
		"revision":     "Id of a revision.",
		"changeSet":    "Id of a change set.",
		"resource":     "Id of an entry or asset.",
		"preview":      "Id of a preview token.",
		"release":      "Number of a release, or id of its change set.",
		"key":          "Id of an API key.",
	}
	inQuery = map[string]parameter{
		"limit":          {"How many rows a page has at most.", object{"type": "integer", "minimum": 1, "maximum": 100, "default": 25}},
		"cursor":         {"The nextCursor of the page before.", text},
		"collection":     {"Key of a collection.", text},
		"status":         {"The status to list.", text},
		"slug":           {"The slug of an entry, as it is published, drafted or proposed by an open change set; with status=deleted, that of its last draft.", text},
		"updatedSince":   {"Time from which on an entry was edited, published, unpublished or deleted last. Deleted entries are listed with status=deleted alone.", object{"type": "string", "format": "date-time"}},
		"updatedBy":      {"Id of the user or API key that made the newest revision.", text},
		"changeSetId":    {"The change set to read or to stage in.", text},
		"changeSummary":  {"What the change is about; kept with each revision.", text},
		"dryRun":         {"Check everything and write nothing.", object{"type": "boolean"}},
		"capability":     {"The scope to ask about.", text},
		"route":          {"The call to ask about: an operationId of this document, or a method and a path.", text},
		"tool":           {"The tool of the agent tool server to ask about.", text},
		"origin":         {"The origin of a page, as the Origin header has it.", text},
		"from":           {"The first day, in UTC.", object{"type": "string", "format": "date"}},
		"to":             {"The last day, in UTC.", object{"type": "string", "format": "date"}},
		"against":        {"Id or slug of the other project.", text},
		"order":          {"Keys of fields to order by, separated by commas; - before one turns it round.", text},
		"fields":         {"Keys of the fields to return, separated by commas.", text},
		"include":        {"Keys of the reference fields whose entries to embed, separated by commas.", text},
		"q":              {"Words to search for, phrases in quotation marks; - before one excludes it.", text},
		"locale":         {"Locale to read localized fields in.", text},
		"representation": {"rendered makes every Markdown field HTML.", object{"type": "string", "enum": []string{"source", "rendered"}, "default": "source"}},
		"at":             {"Release to read at: a number, release-N, or a time.", text},
		"preview":        {"A preview token: reads show the drafts of its change set.", text},
		"token":          {"The same as preview.", text},
	}
	inHeader = map[string]parameter{
		"Idempotency-Key": {"The same key with the same body gets the first response again, for 24 hours.", text},
		"Prefer":          {"wait=SECONDS waits until every edge has the change; Preference-Applied tells that they have.", text},
		"svc-min-release": {"The release that the response must not be older than.", object{"type": "integer", "minimum": 0}},
		"If-None-Match":   {"ETags that the caller holds.", text},
		"Last-Event-ID":   {"Id of the last event that the caller has got.", text},
	}

	text      = object{"type": "string"}
	requestID = object{"svc-request-id": object{"description": "Names the request in logs.", "schema": text}}
	// readHeaders are those of public reads.
	readHeaders = object{
		"ETag":          object{"description": "Changes with the body.", "schema": text},
		"Cache-Control": object{"description": "How long caches may keep the response.", "schema": text},
		"Cache-Tag":     object{"description": "What the response was made from, with the tags of live events; only where shared caches may keep it.", "schema": text},
		"svc-release":   object{"description": "The release that was read.", "schema": object{"type": "integer"}},
	}
)

// listedStatuses are those that a list can be asked for, by operationId.
var listedStatuses = map[string]any{
	"getProjectsEntries":    []string{"draft", "published", "changed", "unpublished", "deleted"},
	"getProjectsChangeSets": content.ChangeSetStatuses(),
}

// filterParameter is how filters are named in route tables; in the document they are one parameter of style deepObject.
const filterParameter = "filter[…]"

type parameter struct {
	description string
	schema      object
}

func (op Operation) parameters(s *schemas) []object {
	all := []object{}
	for part := range strings.SplitSeq(op.Path, "/") {
		if name, found := strings.CutPrefix(part, ":"); found {
			if inPath[name] == "" {
				s.fail(fmt.Errorf("the path parameter %s is not described", name))
			}
			all = append(all, object{"name": name, "in": "path", "required": true, "description": inPath[name], "schema": text})
		}
	}
	add := func(in string, names []string, known map[string]parameter) {
		for _, name := range names {
			if name == filterParameter {
				all = append(all, filter)
				continue
			}
			p, found := known[name]
			if !found {
				s.fail(fmt.Errorf("the parameter %s is not described", name))
			}
			if values := listedStatuses[op.ID()]; name == "status" && values != nil {
				p.schema = object{"type": "string", "enum": values}
			}
			all = append(all, object{"name": name, "in": in, "description": p.description, "schema": p.schema})
		}
	}
	add("query", op.Query, inQuery)
	add("header", op.Headers, inHeader)
	return all
}

// filter is filter[field]=value and filter[field][operator]=value.
var filter = object{
	"name": "filter", "in": "query", "style": "deepObject", "explode": true,
	"description": "filter[field]=value or filter[field][operator]=value; operators: ne, gt, gte, lt, lte, in, exists.",
	"schema":      object{"type": "object", "additionalProperties": true},
}
