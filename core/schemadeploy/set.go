// Package schemadeploy deploys schemas: what is in force, pushes of a whole set as immutable versions, and the check
// of existing content against what is proposed (interface, "Schema deployment semantics").
package schemadeploy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// Deployed is a collection as it is in force.
type Deployed struct {
	Schema    *schema.Collection // with the live label; shared, not to be changed
	Version   uint32
	Hash      string
	CreatedAt time.Time // of the collection
	UpdatedAt time.Time // of its last change
}

// Set is everything in force in a project, by name.
type Set []*Deployed

// Get returns the collection of this name, or nil.
func (s Set) Get(name string) *Deployed {
	i, found := slices.BinarySearchFunc(s, name, func(d *Deployed, name string) int { return cmp.Compare(d.Schema.Name, name) })
	if !found {
		return nil
	}
	return s[i]
}

// Require is Get, with NOT_FOUND where there is none.
func (s Set) Require(name string) (*Deployed, error) {
	if d := s.Get(name); d != nil {
		return d, nil
	}
	return nil, fault.New(fault.NotFound, "the project has no collection %s", schema.Quote(name))
}

// Names returns the names of the collections.
func (s Set) Names() []string {
	out := make([]string, len(s))
	for i, d := range s {
		out[i] = d.Schema.Name
	}
	return out
}

// Schemas returns the schemas of the set.
func (s Set) Schemas() []*schema.Collection {
	out := make([]*schema.Collection, len(s))
	for i, d := range s {
		out[i] = d.Schema
	}
	return out
}

// Load returns what is in force.
func Load(ctx context.Context, q postgres.Querier, project content.ProjectID) (Set, error) {
	return load(ctx, q, project, `c.removed_at IS NULL`)
}

// removed returns the collections that were removed, at the versions they had then. Their entries are kept.
func removed(ctx context.Context, q postgres.Querier, project content.ProjectID) (Set, error) {
	return load(ctx, q, project, `c.removed_at IS NOT NULL`)
}

func load(ctx context.Context, q postgres.Querier, project content.ProjectID, where string) (Set, error) {
	rows, err := q.Query(ctx, `
		SELECT c.name, c.version, v.hash, c.label, c.created_at, c.updated_at FROM collection c
		JOIN collection_version v ON (v.project_id, v.name, v.version) = (c.project_id, c.name, c.version)
		WHERE c.project_id = $1 AND `+where+` ORDER BY c.name`, project)
	if err != nil {
		return nil, fmt.Errorf("reading the schemas in force: %w", err)
	}
	var missing []string
	set, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Deployed, error) {
		var d Deployed
		var name, label string
		if err := row.Scan(&name, &d.Version, &d.Hash, &label, &d.CreatedAt, &d.UpdatedAt); err != nil {
			return nil, err
		}
		if d.Schema = parsed.get(d.Hash, label); d.Schema == nil {
			d.Schema = &schema.Collection{Name: name, Label: label}
			missing = append(missing, name)
		}
		return &d, nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the schemas in force: %w", err)
	}
	if len(missing) > 0 {
		return set, fill(ctx, q, project, set, missing)
	}
	return set, nil
}

// fill parses the schemas that the process has not met yet.
func fill(ctx context.Context, q postgres.Querier, project content.ProjectID, set Set, missing []string) error {
	versions := make([]uint32, len(missing))
	for i, name := range missing {
		versions[i] = set.Get(name).Version
	}
	rows, err := q.Query(ctx, `
		SELECT name, canonical FROM collection_version
		WHERE project_id = $1 AND (name, version) IN (SELECT * FROM unnest($2::text[], $3::int[]))`, project, missing, versions)
	if err != nil {
		return fmt.Errorf("reading schemas: %w", err)
	}
	var name, canonical string
	_, err = pgx.ForEachRow(rows, []any{&name, &canonical}, func() error {
		d := set.Get(name)
		c, err := schema.Parse([]byte(canonical))
		if err != nil {
			return fmt.Errorf("version %d of the collection %s as stored: %v", d.Version, name, err) // no fault of the caller
		}
		parsed.put(d.Hash, c)
		d.Schema = relabel(c, d.Schema.Label)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading schemas: %w", err)
	}
	return nil
}

// Get returns one collection in force, or NOT_FOUND.
func Get(ctx context.Context, q postgres.Querier, project content.ProjectID, name string) (*Deployed, error) {
	set, err := Load(ctx, q, project)
	if err != nil {
		return nil, err
	}
	return set.Require(name)
}
