package api

import (
	"testing"
	"time"

	"svc/core/wire"
	"svc/shared/fault"
)

// What a caller left empty by mistake must not switch a guard off.
func TestEmptyIdsAreNoneOfTheirKind(t *testing.T) {
	t.Parallel()
	empty, id := "", "rev_1"
	if _, err := named("expectedRevisionId", &empty); !fault.Is(err, fault.ValidationFailed) {
		t.Errorf("an empty id: %v", err)
	}
	if got, err := named("expectedRevisionId", &id); got != id || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := named("expectedRevisionId", nil); got != "" || err != nil {
		t.Errorf("none: %q, %v", got, err)
	}
}

// The zero time means "never" inside; from a caller it is a time long past.
func TestAKeyThatExpiredInTheYearOneIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := mintKey(&call{}, wire.NewKey{ExpiresAt: &time.Time{}}); !fault.Is(err, fault.ValidationFailed) {
		t.Fatalf("got %v", err)
	}
}
