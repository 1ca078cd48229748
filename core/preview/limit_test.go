package preview_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/core/postgres/postgrestest"
	"svc/core/preview"
	"svc/core/preview/previewtest"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

func project(t *testing.T, s *previewtest.Subject) string {
	t.Helper()
	err := s.PutSettings(t.Context(), readtest.Settings{From: 1, Project: read.Project{
		ID: readtest.Project(1), Organization: readtest.Organization(1), Slug: "shop", CursorKey: make([]byte, 32),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return "shop"
}

func TestViewsBeyondTheLimitAreTurnedAway(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	ref := project(t, previewtest.New(pool))
	store := preview.New(pool, 1)
	first, err := store.Open(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), ref); !fault.Is(err, fault.Unavailable) || fault.As(err).RetryAfter <= 0 {
		t.Errorf("a second view: %v, want UNAVAILABLE with a time to try again", err)
	}
	first.Close()
	if _, err := store.Open(t.Context(), "nobody"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a project that is not there: %v", err)
	}
	again, err := store.Open(t.Context(), ref)
	if err != nil {
		t.Fatalf("after both were let go: %v", err)
	}
	again.Close()
}

// However many lists look at whole collections, other reads find room.
func TestListsThatLookAroundLeaveViewsForOthers(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	ref := project(t, previewtest.New(pool))
	store := preview.New(pool, 2)
	done, err := store.AcquireScan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := store.Open(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	if _, err := store.AcquireScan(t.Context()); !fault.Is(err, fault.Unavailable) || fault.As(err).RetryAfter <= 0 {
		t.Errorf("another list: %v, want UNAVAILABLE with a time to try again", err)
	}
	other, err := store.Open(t.Context(), ref)
	if err != nil {
		t.Fatalf("another read: %v", err)
	}
	other.Close()
	done()
	if done, err = store.AcquireScan(t.Context()); err != nil {
		t.Fatalf("after the first list: %v", err)
	}
	done()
}

// A publish that took its time and has not committed keeps times from then on unsettled.
func TestATimeIsNotSettledWhileAPublishIsInProgress(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	ref := project(t, previewtest.New(pool))
	store := preview.New(pool, 0)
	settled := func(at time.Time) bool {
		t.Helper()
		var settled bool
		for range 2 { // the first view finds out, the second knows
			v, err := store.Open(t.Context(), ref)
			if err != nil {
				t.Fatal(err)
			}
			if _, settled, err = v.ReleaseAt(t.Context(), at); err != nil {
				t.Fatal(err)
			}
			v.Close()
		}
		return settled
	}
	publish, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer publish.Rollback(t.Context())
	var taken time.Time
	if err := takeTime(t, publish, &taken); err != nil {
		t.Fatal(err)
	}
	if settled(taken) {
		t.Error("a time is settled though a publish has taken it")
	}
	_, err = publish.Exec(t.Context(), `UPDATE release_head SET number = 1, published_at = $2 WHERE project_id = $1`, readtest.Project(1), taken)
	if err != nil {
		t.Fatal(err)
	}
	if err := publish.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !settled(taken) {
		t.Error("a time is not settled though no one publishes")
	}
	if settled(time.Now().Add(time.Hour)) {
		t.Error("the future is settled")
	}
}

func takeTime(t *testing.T, tx pgx.Tx, taken *time.Time) error {
	t.Helper()
	if _, err := tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock_shared($1)`, postgres.SettleFence); err != nil {
		return err
	}
	return tx.QueryRow(t.Context(), `SELECT date_trunc('milliseconds', clock_timestamp())`).Scan(taken)
}

// Counters that a recovery raised are no releases: the newest one stays what it is until the next is published.
func TestTheHeadIsTheNewestReleaseWhateverNumbersAreTaken(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	s := previewtest.New(pool)
	ref := project(t, s)
	if _, err := pool.Exec(t.Context(), `UPDATE release_head SET number = 7, published_at = now()`); err != nil {
		t.Fatal(err)
	}
	head := func() uint64 {
		t.Helper()
		v, err := preview.New(pool, 0).Open(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		if _, held, err := v.Release(t.Context(), 7); held || err != nil {
			t.Errorf("release 7: %v, %v", held, err)
		}
		return v.Head().Number
	}
	if n := head(); n != 0 {
		t.Errorf("before any release the head is %d", n)
	}
	r := readtest.Release{Release: content.Release{Number: 8, PublishedAt: time.Now().UTC().Truncate(time.Millisecond)}}
	if err := s.Publish(t.Context(), readtest.Project(1), r); err != nil {
		t.Fatal(err)
	}
	if n := head(); n != 8 {
		t.Errorf("the head is %d, want 8", n)
	}
}
