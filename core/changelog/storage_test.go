package changelog

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"

	"svc/shared/blob"
	"svc/shared/blob/blobtest"
)

// hanging is object storage that takes no object before it is let.
type hanging struct {
	blobtest.Memory
	let chan struct{}
}

func (s *hanging) Put(ctx context.Context, key string, body io.Reader, size int64, o blob.PutOptions) error {
	select {
	case <-s.let:
		return s.Memory.Put(ctx, key, body, size, o)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestObjectStorageThatHangsHoldsUpLargeChangesAlone: however many large changes wait for it, those of other logs are sent;
// and once it answers, all of them.
func TestObjectStorageThatHangsHoldsUpLargeChangesAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	store := &hanging{let: make(chan struct{})}
	s.blobs = store
	const large = 20                        // more than the relay has workers
	noise := make([]byte, 560<<10)          // which its text, twice as long, is packed to
	rand.NewChaCha8([32]byte{}).Read(noise) //nolint:errcheck // it cannot fail
	for i := range large {
		log := fmt.Sprintf("prj_large_%02d", i)
		create(t, s.pool, log)
		inTx(t, s.pool, func(tx pgx.Tx) error { return name(t.Context(), tx, log, hex.EncodeToString(noise)) })
	}
	s.relay()
	for i := range 5 {
		log := fmt.Sprintf("prj_small_%d", i)
		create(t, s.pool, log)
		named(t, s.pool, log, 3)
		s.unbroken(log)
	}
	if m, found, err := s.conn.Last(t.Context(), "prj_large_00"); err != nil || found {
		t.Fatalf("a change whose body is nowhere is on the stream: message %d, %v", m.Seq, err)
	}
	close(store.let)
	for i := range large {
		s.unbroken(fmt.Sprintf("prj_large_%02d", i))
	}
}
