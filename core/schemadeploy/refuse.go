package schemadeploy

import (
	"fmt"
	"strings"

	"svc/core/access"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// unconfined refuses a push by an actor who is confined to collections: it would remove the others unseen.
func unconfined(actor *access.Actor) error {
	names, confined := access.Confined(actor)
	if !confined {
		return nil
	}
	return fault.New(fault.Forbidden, "a push puts the whole set of collections in force, so it needs an API key that sees all collections of "+
		"the project; this one is confined to %s: use a key that was made without \"collections\"", strings.Join(names, ", "))
}

// refuseMisfits refuses a push that content does not fit.
func refuseMisfits(actor *access.Actor, out Outcome) error {
	if out.ContentErrorCount == 0 {
		return nil
	}
	f := fault.New(fault.ValidationFailed, "existing content does not fit the proposed schemas in %s", schema.Count(out.ContentErrorCount, "place"))
	listed := len(out.ContentErrors)
	switch {
	case !access.Carries(actor, credential.ContentRead):
		f.Detail += "; the API key does not carry the scope content:read, so none is listed; with a key that does they are"
		listed = 0
	case listed < out.ContentErrorCount:
		f.Detail += fmt.Sprintf("; the first %d are listed", listed)
	}
	if out.former > 0 {
		f.Detail += fmt.Sprintf("; in %d of them the value is one of a field that was removed: edits drop it, from drafts at once and from "+
			`published entries once they are published; an import of ids alone, {"entries": [{"id": "ent_…"}]}, is such an edit of many`, out.former)
	}
	f.Items = itemsOf(out.ContentErrors[:listed])
	return f
}

func itemsOf(errors []ContentError) []fault.Item {
	var items []fault.Item
	for _, e := range errors {
		at := "collection " + e.Collection
		if e.Slug != "" {
			at += ", slug " + schema.Show(e.Slug)
		}
		if e.Title != "" {
			at += `, title "` + e.Title + `"`
		}
		if e.Revision != "" {
			at += ", revision " + string(e.Revision)
		}
		items = append(items, fault.Item{
			Path: e.Path, Code: e.Code, Message: fmt.Sprintf("%s (%s)", e.Message, at),
			ResourceType: string(content.ResourceEntry), ResourceID: string(e.Entry),
		})
	}
	return items
}

// refuseLoss refuses a destructive push that was not allowed.
func refuseLoss(plan diff.Plan, allowed bool) error {
	if plan.Class != diff.Destructive || allowed {
		return nil
	}
	const most = 5
	var steps []string
	for _, o := range plan.Operations {
		if o.Class == diff.Destructive {
			what, _, _ := strings.Cut(o.Message, ";")
			steps = append(steps, strings.TrimSuffix(o.Collection+"."+o.Field, ".")+": "+what)
		}
	}
	if more := len(steps) - most; more > 0 {
		steps = append(steps[:most], fmt.Sprintf("and %d more", more))
	}
	return fault.New(fault.SchemaChangeDestructive, "this would take content away (%s); pass allowDestructive to accept that", strings.Join(steps, "; "))
}
