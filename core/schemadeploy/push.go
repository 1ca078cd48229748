package schemadeploy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

const maxSummary = 500 // characters

// Proposal is a whole set of collections to put in force.
type Proposal struct {
	Collections []jsontext.Value
	// AllowDestructive allows what loses content.
	AllowDestructive bool
	Summary          string
}

// Push puts a set in force, all of it or nothing: SCHEMA_CHANGE_DESTRUCTIVE where it would remove or retype anything,
// VALIDATION_FAILED with the entries where content does not fit. A set that is in force already changes nothing.
func Push(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, in Proposal) (Outcome, error) {
	proposed, err := schema.ParseSet(in.Collections)
	if err != nil {
		return Outcome{}, err
	}
	if n := utf8.RuneCountInString(in.Summary); n > maxSummary {
		return Outcome{}, fault.Invalid("summary", "must have at most %d characters; it has %d", maxSummary, n)
	}
	var out Outcome
	err = postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := project.Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		var set Set
		if set, out, err = weigh(ctx, tx, actor, p, proposed); err != nil {
			return err
		}
		if err := refuse(out, in.AllowDestructive); err != nil {
			return err
		}
		out.Versions, err = deploy(ctx, tx, actor, p, set, proposed, in.Summary)
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return out, nil
}

// confine refuses a set that adds, changes or removes collections out of the actor's reach.
func confine(actor *access.Actor, set Set, proposed []*schema.Collection) error {
	for _, c := range proposed {
		if d := set.Get(c.Name); d != nil && d.Hash == c.Hash() && d.Schema.Label == c.Label {
			continue
		}
		if err := access.Confine(actor, c.Name); err != nil {
			return err
		}
	}
	for _, d := range set {
		kept := slices.ContainsFunc(proposed, func(c *schema.Collection) bool { return c.Name == d.Schema.Name })
		if kept {
			continue
		}
		if err := access.Confine(actor, d.Schema.Name); err != nil {
			return err
		}
	}
	return nil
}

// refuse turns an outcome that must not be put in force into its fault.
func refuse(out Outcome, allowed bool) error {
	if out.Plan.Class == diff.Destructive {
		return destructive(out.Plan, allowed)
	}
	if out.ContentErrorCount == 0 {
		return nil
	}
	f := fault.New(fault.ValidationFailed, "existing content does not fit the proposed schemas in %s", schema.Count(out.ContentErrorCount, "place"))
	for _, e := range out.ContentErrors {
		f.Items = append(f.Items, fault.Item{
			Path: e.Path, Code: e.Code, Message: fmt.Sprintf("%s (collection %s, revision %s)", e.Message, e.Collection, e.Revision),
			ResourceType: string(content.ResourceEntry), ResourceID: string(e.Entry),
		})
	}
	return f
}

func destructive(plan diff.Plan, allowed bool) error {
	var steps []string
	for _, o := range plan.Operations {
		if o.Class == diff.Destructive && len(steps) < 5 {
			steps = append(steps, strings.TrimSuffix(o.Collection+"."+o.Field, ".")+": "+o.Message)
		}
	}
	because := "pass allowDestructive to accept that"
	if allowed {
		because = "this version of the service does not deploy such changes, whatever allowDestructive says"
	}
	return fault.New(fault.SchemaChangeDestructive, "the push would lose content (%s); %s", strings.Join(steps, "; "), because)
}
