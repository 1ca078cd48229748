// Package retry repeats calls of core while it cannot answer them: after a start, and while a part is away.
package retry

import (
	"context"
	"errors"
	"net/http"

	"svc/bench/node"
	"svc/core/client"
)

// Final is an error that no repetition mends.
type Final struct{ Err error }

func (e Final) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e Final) Unwrap() error { return e.Err }

// Until repeats a call until it is answered: while no one is there, or says that it cannot be done at the moment, as after
// a start. It returns the error that is the answer, or what was missing when ctx ended.
func Until(ctx context.Context, call func() error) error {
	var answer error
	err := node.Until(ctx, func(context.Context) error {
		answer = call()
		var refused *client.Error
		if errors.As(answer, &refused) && refused.Status != http.StatusServiceUnavailable || errors.As(answer, new(Final)) {
			return nil
		}
		return answer
	})
	if err != nil {
		return err
	}
	return answer
}
