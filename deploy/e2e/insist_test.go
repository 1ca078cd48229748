package e2e

import (
	"context"
	"errors"
	"net/http"

	"svc/bench/node"
	"svc/core/client"
)

// final is an error that no repetition mends.
type final struct{ error }

func (e final) Unwrap() error { return e.error }

// insist repeats a call until it is answered: while nobody is there, or says that it cannot be done at the moment, as after
// a start. It returns the error that is the answer, or what was missing when ctx ended.
func insist(ctx context.Context, call func() error) error {
	var answer error
	err := node.Until(ctx, func(context.Context) error {
		answer = call()
		var refused *client.Error
		if errors.As(answer, &refused) && refused.Status != http.StatusServiceUnavailable || errors.As(answer, new(final)) {
			return nil
		}
		return answer
	})
	if err != nil {
		return err
	}
	return answer
}

// insist repeats a call until it is answered, and well.
func (b *bed) insist(call func() error) {
	b.t.Helper()
	ctx, cancel := b.patient()
	defer cancel()
	b.check(insist(ctx, call))
}
