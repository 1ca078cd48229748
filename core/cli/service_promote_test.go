package cli

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"svc/core/wire"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// compareWith is the plan of promoting another project's schemas.
func (s *service) compareWith(other string) (wire.Plan, error) {
	set, found := s.elsewhere[other]
	if !found {
		return wire.Plan{}, fault.New(fault.NotFound, "there is no project %q", other)
	}
	return planned(diff.Diff(s.deployed, set)), nil
}

func planned(compared diff.Plan) wire.Plan {
	out := wire.Plan{
		InSync: compared.InSync(), Classification: compared.Class, Operations: []wire.Operation{}, ContentErrors: []wire.ContentError{},
		ContentChecked: true,
	}
	for _, o := range compared.Operations {
		out.Operations = append(out.Operations, wire.Operation{Collection: o.Collection, Field: o.Field, Kind: o.Kind, Classification: o.Class, Message: o.Message})
	}
	return out
}

func (s *service) drift(r *http.Request, _ string) (any, error) {
	out, err := s.compareWith(r.URL.Query().Get("against"))
	return map[string]any{"inSync": out.InSync, "classification": out.Classification, "operations": out.Operations}, err
}

func (s *service) promote(r *http.Request, body string) (any, error) {
	if err := needs(r, "schema:write"); err != nil {
		return nil, err
	}
	var in struct {
		FromProject      string `json:"fromProject"`
		Confirm          bool   `json:"confirm"`
		AllowDestructive bool   `json:"allowDestructive"`
	}
	if err := json.Unmarshal([]byte(body), &in, json.RejectUnknownMembers(true)); err != nil {
		return nil, fault.New(fault.ValidationFailed, "%v", err)
	}
	out, err := s.compareWith(in.FromProject)
	switch {
	case err != nil:
		return nil, err
	case !in.Confirm:
		return nil, fault.Invalid("confirm", "must be true")
	case out.Classification == diff.Destructive && !in.AllowDestructive:
		return nil, fault.New(fault.SchemaChangeDestructive, "the push would lose content")
	}
	s.deployed, out.Versions = s.elsewhere[in.FromProject], map[string]uint32{}
	for _, c := range s.deployed {
		s.versions[c.Name]++
		out.Versions[c.Name] = s.versions[c.Name]
	}
	return out, nil
}

func (s *service) translations(r *http.Request, _ string) (any, error) {
	name := r.PathValue("collection")
	for _, c := range s.covered {
		if c.Collection == name {
			return dataBody{c}, nil
		}
	}
	return nil, fault.New(fault.NotFound, "the project has no collection %q", name)
}

// parsed is a schema of these tests.
func parsed(text string) *schema.Collection {
	c, err := schema.Parse([]byte(text))
	if err != nil {
		panic("cli: a schema of a test: " + err.Error())
	}
	return c
}
