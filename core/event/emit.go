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
	rows := make([][]any, 0, len(events))
	for _, e := range events {
		data, err := json.Marshal(e.Data, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("encoding a %s event: %w", e.Type, err)
		}
		rows = append(rows, []any{content.NewID[content.EventID](), project, e.Type, actor.Type, actor.IDOrNil(), string(data)})
	}
	if len(rows) <= 4 {
		return insert(ctx, tx, rows)
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"event"},
		[]string{"id", "project_id", "type", "actor_type", "actor_id", "data"}, pgx.CopyFromRows(rows))
	if err != nil {
		return fmt.Errorf("storing events: %w", err)
	}
	return nil
}

// insert stores a few events in one round trip, for which COPY needs three.
func insert(ctx context.Context, tx pgx.Tx, rows [][]any) error {
	batch := &pgx.Batch{}
	for _, row := range rows {
		batch.Queue(`INSERT INTO event (id, project_id, type, actor_type, actor_id, data) VALUES ($1, $2, $3, $4, $5, $6)`, row...)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("storing events: %w", err)
	}
	return nil
}
