package event

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/shared/content"
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
