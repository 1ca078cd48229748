package event

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/shared/content"
)

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
