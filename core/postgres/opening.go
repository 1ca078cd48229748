package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

type openingKey struct{}

// Opening returns a context under which every transaction of InTx begins with first, and fails where first does.
func Opening(ctx context.Context, first func(ctx context.Context, tx pgx.Tx) error) context.Context {
	return context.WithValue(ctx, openingKey{}, first)
}

func open(ctx context.Context, tx pgx.Tx) error {
	if first, ok := ctx.Value(openingKey{}).(func(context.Context, pgx.Tx) error); ok {
		return first(ctx, tx)
	}
	return nil
}
