// Package changelog keeps the logs that edges follow: one for each project and each organization, with a head row
// that numbers and chains changes in commit order.
package changelog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"

	"svc/core/postgres"
	"svc/replication/record"
)

// Create starts the log of a new project or organization.
func Create(ctx context.Context, tx pgx.Tx, log string) error {
	if _, err := tx.Exec(ctx, `INSERT INTO log_head (log) VALUES ($1)`, log); err != nil {
		return fmt.Errorf("starting the log %s: %w", log, err)
	}
	return nil
}

// Append adds a change to a log. It locks the log's head until the end of the transaction, so it is the last
// statement in it; a program that hangs there holds it for five seconds. The commit wakes this core's relay. Ref is the
// number of the release or schema push whose rows hold the content; a change whose rows may change later carries its
// encoded message as body instead.
func Append(ctx context.Context, tx pgx.Tx, log string, kind record.Kind, digest record.Hash, ref int64, body []byte) (record.Position, error) {
	return appendChange(ctx, tx, log, kind, digest, ref, body, record.Stamp{})
}

// AppendRelease adds a release, with its number and time, to the log of its project. Its rows hold the content.
func AppendRelease(ctx context.Context, tx pgx.Tx, project string, digest record.Hash, given record.Stamp) (record.Position, error) {
	return appendChange(ctx, tx, project, record.KindRelease, digest, int64(given.Number), nil, given)
}

func appendChange(ctx context.Context, tx pgx.Tx, log string, kind record.Kind, digest record.Hash, ref int64, body []byte, given record.Stamp) (record.Position, error) {
	var p record.Position
	var chain []byte
	err := tx.QueryRow(ctx, `
		WITH head AS (
			UPDATE log_head SET prev = chain, seq = seq + 1, updated_at = clock_timestamp(),
			       chain = sha256(chain || int8send(seq + 1) || convert_to($2, 'UTF8') || $3)
			WHERE log = $1 RETURNING log, epoch, seq, prev, chain, updated_at)
		INSERT INTO change (log, seq, epoch, prev, chain, kind, digest, ref, body, created_at)
		SELECT log, seq, epoch, prev, chain, $2, $3, $4, $5, updated_at FROM head
		RETURNING epoch, seq, chain, `+postgres.HoldBriefly, log, string(kind), digest[:], ref, body).Scan(&p.Epoch, &p.Seq, &chain, nil)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, fmt.Errorf("the log %s does not exist", log)
	}
	if err != nil {
		return p, fmt.Errorf("appending to the log %s: %w", log, err)
	}
	copy(p.Chain[:], chain)
	if c := CommitsIn(tx); c != nil {
		postgres.OnCommit(tx, func() {
			c.Note(log, Seen{At: p, Given: given})
			c.Wake(log)
		})
	}
	return p, nil
}

// AppendMessage adds a change whose content is the message itself.
func AppendMessage(ctx context.Context, tx pgx.Tx, log string, kind record.Kind, message proto.Message) error {
	digest, err := record.Digest(kind, message)
	if err != nil {
		return err
	}
	body, err := proto.Marshal(message)
	if err != nil {
		return fmt.Errorf("encoding a %s change: %w", kind, err)
	}
	_, err = Append(ctx, tx, log, kind, digest, 0, body)
	return err
}
