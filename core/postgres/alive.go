package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// rested is how long a connection may have been idle before it is asked whether it still works.
const rested = time.Second

// suspicious reports whether a connection should be asked whether it still works before it is used: it has rested, or
// there is something to read on it though nobody asked anything. The end of a server that was killed is such a thing, and
// without this the first requests after a restart would meet one dead connection after the other.
func suspicious(_ context.Context, p pgxpool.ShouldPingParams) bool {
	return p.IdleDuration > rested || readable(p.Conn.PgConn().Conn())
}
