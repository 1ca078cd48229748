package read

import (
	"context"

	"svc/shared/credential"
)

// Keys looks up what an API key allows. The edge answers from the organization's log and asks core about a key
// it has not met; core answers from PostgreSQL.
type Keys interface {
	// Grant returns the stored grant of a public id, or nil where there is none. It does not verify the secret. An
	// UNAVAILABLE fault means that nobody can tell at the moment, and reads that need the key fail closed.
	Grant(ctx context.Context, publicID string) (*credential.Grant, error)
}
