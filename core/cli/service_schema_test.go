package cli

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/wire"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

func (s *service) schema(*http.Request, string) (any, error) {
	var out []map[string]any
	for _, c := range s.deployed {
		out = append(out, map[string]any{"name": c.Name, "version": s.versions[c.Name], "hash": c.Hash(), "schema": jsontext.Value(c.Canonical())})
	}
	return dataBody{map[string]any{"collections": out}}, nil
}

// listVersions lists a version for every past schema of a collection.
func (s *service) listVersions(r *http.Request, _ string) (any, error) {
	name := r.PathValue("collection")
	if len(s.past[name]) == 0 {
		return nil, fault.New(fault.NotFound, "the project has no collection %q", name)
	}
	var versions []map[string]any
	for n, c := range s.past[name] {
		versions = slices.Insert(versions, 0, map[string]any{
			"version": n + 1, "hash": c.Hash(), "summary": "", "createdBy": nil, "createdAt": stamp(n), "schema": jsontext.Value(c.Canonical()),
		})
	}
	return paged(r, versions), nil
}

type pushBody struct {
	Collections      []jsontext.Value `json:"collections"`
	AllowDestructive bool             `json:"allowDestructive"`
	Summary          string           `json:"summary"`
}

func (s *service) compare(body string) (wire.Plan, pushBody, []*schema.Collection, error) {
	var in pushBody
	if err := json.Unmarshal([]byte(body), &in, json.RejectUnknownMembers(true)); err != nil {
		return wire.Plan{}, in, nil, fault.New(fault.ValidationFailed, "%v", err)
	}
	set, err := schema.ParseSet(in.Collections)
	if err != nil {
		return wire.Plan{}, in, nil, err
	}
	compared := diff.Diff(s.deployed, set)
	out := wire.Plan{
		InSync: compared.InSync(), Classification: compared.Class, Operations: []wire.Operation{},
		ContentErrors: s.misfits, ContentErrorCount: len(s.misfits), ContentChecked: true,
	}
	for _, o := range compared.Operations {
		out.Operations = append(out.Operations, wire.Operation{Collection: o.Collection, Field: o.Field, Kind: o.Kind, Classification: o.Class, Message: o.Message})
	}
	return out, in, set, nil
}

func (s *service) plan(r *http.Request, body string) (any, error) {
	if strings.Contains(body, `"allowDestructive"`) {
		return nil, fault.Invalid("allowDestructive", "is not a member of this request body")
	}
	out, _, _, err := s.compare(body)
	switch token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); token {
	case formToken:
		out.ContentErrors, out.ContentErrorCount, out.ContentChecked = nil, 0, false
	case weakToken:
		out.ConfinedTo = []string{"posts"}
	}
	return out, err
}

func (s *service) push(r *http.Request, body string) (any, error) {
	if err := needs(r, "schema:write"); err != nil {
		return nil, err
	}
	out, in, set, err := s.compare(body)
	switch {
	case err != nil:
		return nil, err
	case out.Classification == diff.Destructive && !in.AllowDestructive:
		return nil, fault.New(fault.SchemaChangeDestructive, "%s", "the push would lose content")
	case len(s.misfits) > 0:
		f := fault.New(fault.ValidationFailed, "existing content does not fit the proposed schemas")
		for _, m := range s.misfits {
			f.Items = append(f.Items, fault.Item{Path: m.Path, Code: m.Code, Message: m.Message, ResourceType: "entry", ResourceID: string(m.Entry)})
		}
		return nil, f
	}
	out.Versions = map[string]uint32{}
	for _, c := range set {
		if slices.ContainsFunc(out.Operations, func(o wire.Operation) bool { return o.Collection == c.Name }) {
			s.versions[c.Name]++
		}
		out.Versions[c.Name] = s.versions[c.Name]
	}
	s.deployed = set
	return out, nil
}
