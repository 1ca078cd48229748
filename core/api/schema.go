package api

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/access"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// collectionBody is the management view of a collection.
type collectionBody struct {
	Name       string            `json:"name"`
	Label      string            `json:"label"`
	Kind       schema.Kind       `json:"kind"`
	Visibility schema.Visibility `json:"visibility"`
	Path       *string           `json:"path"`
	Guidance   *string           `json:"guidance"`
	Version    uint32            `json:"version"`
	Hash       string            `json:"hash"`
	Schema     jsontext.Value    `json:"schema"`
	CreatedAt  stamp             `json:"createdAt"`
	UpdatedAt  stamp             `json:"updatedAt"`
}

func collectionOf(d *schemadeploy.Deployed) collectionBody {
	s := d.Schema
	return collectionBody{
		Name: s.Name, Label: s.Label, Kind: s.Kind, Visibility: s.Visibility, Path: orNull(s.Path), Guidance: orNull(s.Guidance),
		Version: d.Version, Hash: d.Hash, Schema: s.Canonical(), CreatedAt: stamp(d.CreatedAt), UpdatedAt: stamp(d.UpdatedAt),
	}
}

// collections are those in force that the caller's key covers.
func (c *call) collections() ([]collectionBody, error) {
	set, err := schemadeploy.Load(c.ctx(), c.server.Pool, c.project.ID)
	if err != nil {
		return nil, err
	}
	out := make([]collectionBody, 0, len(set))
	for _, d := range set {
		if access.Confine(c.actor, d.Schema.Name) == nil {
			out = append(out, collectionOf(d))
		}
	}
	return out, nil
}

// listCollections is the management side of the dual-mode route: collections with their schemas.
func listCollections(c *call) (listing[collectionBody], error) {
	all, err := c.collections()
	return listing[collectionBody]{Data: all}, err
}

type schemaBody struct {
	Collections []collectionBody `json:"collections"`
}

// getSchema answers with the set in force; for a key confined to collections with its part of it.
func getSchema(c *call) (schemaBody, error) {
	all, err := c.collections()
	return schemaBody{all}, err
}

func getCollection(c *call) (collectionBody, error) {
	d, err := schemadeploy.Get(c.ctx(), c.server.Pool, c.project.ID, c.param("collection"))
	if err != nil {
		return collectionBody{}, err
	}
	return collectionOf(d), nil
}

type versionBody struct {
	Number    uint32         `json:"version"`
	Hash      string         `json:"hash"`
	Summary   string         `json:"summary"`
	CreatedBy *string        `json:"createdBy"`
	CreatedAt stamp          `json:"createdAt"`
	Schema    jsontext.Value `json:"schema"`
}

func listVersions(c *call) (listing[versionBody], error) {
	page, err := c.page()
	if err != nil {
		return listing[versionBody]{}, err
	}
	list, err := schemadeploy.Versions(c.ctx(), c.server.Pool, c.project.ID, c.param("collection"), page)
	return listingOf(list, func(v schemadeploy.Version) versionBody {
		return versionBody{v.Number, v.Hash, v.Summary, orNull(v.CreatedBy), stamp(v.CreatedAt), v.Canonical}
	}, err)
}

type schemaSet struct {
	Collections []jsontext.Value `json:"collections"`
}

type schemaProposal struct {
	Collections      []jsontext.Value `json:"collections"`
	AllowDestructive bool             `json:"allowDestructive"`
	Summary          string           `json:"summary"`
}

// needSet refuses a missing set, which is not an empty one.
func needSet(collections []jsontext.Value) error {
	if collections == nil {
		return fault.Invalid("collections", "is missing: give the whole set of collections")
	}
	return nil
}

func diffSchema(c *call, in schemaSet) (planBody, error) {
	if err := needSet(in.Collections); err != nil {
		return planBody{}, err
	}
	out, err := schemadeploy.Diff(c.ctx(), c.server.Pool, c.actor, c.project.ID, in.Collections)
	if err != nil {
		return planBody{}, err
	}
	body := planOf(out)
	body.ConfinedTo, _ = access.Confined(c.actor)
	return body, nil
}

func pushSchema(c *call, in schemaProposal) (pushedBody, error) {
	if err := needSet(in.Collections); err != nil {
		return pushedBody{}, err
	}
	out, err := schemadeploy.Push(c.ctx(), c.server.Pool, c.actor, c.project.ID, schemadeploy.Proposal(in))
	if err != nil {
		return pushedBody{}, err
	}
	return pushedOf(out), nil
}

// pushedBody is what a push did: its plan, and the version that each collection of the set has then.
type pushedBody struct {
	planBody
	Versions map[string]uint32 `json:"versions"`
}

func pushedOf(out schemadeploy.Outcome) pushedBody { return pushedBody{planOf(out), out.Versions} }

// planBody is a plan, and whether content was held against it: a key without content:read is told nothing of content. For
// a key that is confined to collections the plan is about those alone, and names them.
type planBody struct {
	Operations        []operationBody    `json:"operations"`
	Classification    diff.Class         `json:"classification"`
	ContentErrors     []contentErrorBody `json:"contentErrors"`
	ContentErrorCount int                `json:"contentErrorCount"`
	ContentChecked    bool               `json:"contentChecked"`
	InSync            bool               `json:"inSync"`
	ConfinedTo        []string           `json:"confinedTo,omitempty"`
}

type operationBody struct {
	Collection     string     `json:"collection"`
	Field          string     `json:"field,omitempty"`
	Kind           diff.Kind  `json:"kind"`
	Classification diff.Class `json:"classification"`
	Message        string     `json:"message"`
}

type contentErrorBody struct {
	Entry      content.EntryID    `json:"entryId"`
	Collection string             `json:"collection"`
	Slug       string             `json:"slug,omitempty"`
	Title      string             `json:"title,omitempty"`
	Revision   content.RevisionID `json:"revisionId"`
	Path       string             `json:"path"`
	Code       string             `json:"code"`
	Message    string             `json:"message"`
}

func planOf(out schemadeploy.Outcome) planBody {
	body := planBody{
		Operations: operationsOf(out.Plan), Classification: out.Plan.Class, ContentErrorCount: out.ContentErrorCount,
		ContentChecked: out.ContentChecked, InSync: out.Plan.InSync(),
	}
	for _, e := range out.ContentErrors {
		body.ContentErrors = append(body.ContentErrors, contentErrorBody(e))
	}
	return body
}

func operationsOf(plan diff.Plan) []operationBody {
	body := make([]operationBody, len(plan.Operations))
	for i, o := range plan.Operations {
		body[i] = operationBody{o.Collection, o.Field, o.Kind, o.Class, o.Message}
	}
	return body
}
