// Package event records what happened, in the transaction that makes it happen: events, which webhooks deliver,
// and the audit trail (interface, "Events").
package event

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/shared/content"
)

// Type names an event. Types are part of the contract.
type Type string

// The events of the interface, and those that the service adds.
const (
	EntryPublished          Type = "entry.published"
	EntryUnpublished        Type = "entry.unpublished"
	EntryDeleted            Type = "entry.deleted"
	AssetPublished          Type = "asset.published"
	ChangeSetCreated        Type = "change_set.created"
	ChangeSetReadyForReview Type = "change_set.ready_for_review"
	ChangeSetPublished      Type = "change_set.published"
	ChangeSetClosed         Type = "change_set.closed"
	SchemaPushed            Type = "schema.pushed"
)

// Event is something that happened in a project. Data is one of the payloads of this package.
type Event struct {
	Type Type
	Data any
}

// Emit stores the envelopes of events, in their order.
func Emit(ctx context.Context, tx pgx.Tx, project content.ProjectID, actor *access.Actor, events ...Event) error {
	ids := make([]content.EventID, len(events))
	types, data := make([]Type, len(events)), make([]string, len(events))
	for i, e := range events {
		encoded, err := json.Marshal(e.Data, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("encoding a %s event: %w", e.Type, err)
		}
		ids[i], types[i], data[i] = content.NewID[content.EventID](), e.Type, string(encoded)
	}
	// COPY would be a little faster for many, but a session that waits for its rows is ended by no timeout of PostgreSQL.
	if _, err := tx.Exec(ctx, `INSERT INTO event (id, project_id, type, actor_type, actor_id, data)
		SELECT n.id, $1, n.type, $2, $3, n.data FROM unnest($4::text[], $5::text[], $6::text[]) AS n(id, type, data)`,
		project, actor.Type, actor.IDOrNil(), ids, types, data); err != nil {
		return fmt.Errorf("storing events: %w", err)
	}
	return nil
}

// The payloads of events, which are the member "data" of their envelope.

// EntryData is the payload of the entry events.
type EntryData struct {
	Entry         EntryRef     `json:"entry"`
	ChangeSet     ChangeSetRef `json:"changeSet"`
	ReleaseNumber uint64       `json:"releaseNumber"`
}

// EntryRef names an entry; Slug is null where it has none.
type EntryRef struct {
	ID         content.EntryID `json:"id"`
	Collection string          `json:"collection"`
	Slug       *string         `json:"slug"`
}

// AssetData is the payload of asset.published: the change set that named the asset.
type AssetData struct {
	Asset         AssetRef     `json:"asset"`
	ChangeSet     ChangeSetRef `json:"changeSet"`
	ReleaseNumber uint64       `json:"releaseNumber"`
}

// AssetRef names an asset.
type AssetRef struct {
	ID content.AssetID `json:"id"`
}

// ChangeSetRef names a change set.
type ChangeSetRef struct {
	ID    content.ChangeSetID `json:"id"`
	Title string              `json:"title"`
}

// ChangeSetData is the payload of the change set events.
type ChangeSetData struct {
	ChangeSet ChangeSetState `json:"changeSet"`
}

// ChangeSetState is a change set as its events show it. ReleaseNumber is null before it is published, ScheduledAt
// while no publish is scheduled.
type ChangeSetState struct {
	ID            content.ChangeSetID     `json:"id"`
	Title         string                  `json:"title"`
	Status        content.ChangeSetStatus `json:"status"`
	ScheduledAt   *string                 `json:"scheduledAt"`
	ReleaseNumber *uint64                 `json:"releaseNumber"`
}

// SchemaData is the payload of schema.pushed: the version that each changed collection has now.
type SchemaData struct {
	Versions map[string]uint32 `json:"versions"`
	Removed  []string          `json:"removed"`
	Summary  string            `json:"summary"`
}

// Action is what the audit trail says was done.
type Action string

const (
	OrganizationCreate Action = "organization.create"
	OrganizationUpdate Action = "organization.update"
	OrganizationDelete Action = "organization.delete"
	KeyMint            Action = "api_key.mint"
	KeyRevoke          Action = "api_key.revoke"
	ProjectCreate      Action = "project.create"
	ProjectUpdate      Action = "project.update"
	ProjectDelete      Action = "project.delete"
	ProjectPin         Action = "project.pin"
	ProjectUnpin       Action = "project.unpin"
	SchemaPush         Action = "schema.push"
	ChangeSetPublish   Action = "change_set.publish"
	ChangeSetClose     Action = "change_set.close"
	ChangeSetRebase    Action = "change_set.rebase"
	PreviewCreate      Action = "preview.create"
	PreviewRevoke      Action = "preview.revoke"
	ReleaseRevert      Action = "release.revert"
	EntryReorder       Action = "entry.reorder"
	EntryDiscard       Action = "entry.discard"
)

// Record is one row of the audit trail.
type Record struct {
	Organization content.OrganizationID
	Project      content.ProjectID // empty: about the organization itself
	Action       Action
	Subject      string // id or name of what it was done to
	Detail       any    // encodes to a JSON object; nil is an empty one
}

// Audit adds a record to the organization's audit trail.
func Audit(ctx context.Context, tx pgx.Tx, actor *access.Actor, r Record) error {
	detail := []byte("{}")
	if r.Detail != nil {
		var err error
		if detail, err = json.Marshal(r.Detail, json.Deterministic(true)); err != nil {
			return fmt.Errorf("encoding the audit record of %s: %w", r.Action, err)
		}
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO audit_event (organization_id, project_id, action, actor_type, actor_id, subject, detail)
		VALUES ($1, nullif($2, ''), $3, $4, $5, $6, $7)`,
		r.Organization, r.Project, r.Action, actor.Type, actor.IDOrNil(), r.Subject, string(detail))
	if err != nil {
		return fmt.Errorf("storing the audit record of %s: %w", r.Action, err)
	}
	return nil
}
