package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"svc/deploy/local"
	"svc/shared/telemetry"
)

// TestWhatOnlyCoreSawIsNotGivenAgain: PostgreSQL comes back as an older copy, and the releases that it lost were on no
// stream and no edge: NATS was away when they were published. The core that answered them ran all along; no number and
// no time of theirs is given again, and the alarm says behind which number releases go on.
func TestWhatOnlyCoreSawIsNotGivenAgain(t *testing.T) {
	b := newPrivateBed(t, local.Config{}, posts)
	l := &life{name: "published while NATS is away", kept: 2, lost: 5}
	l.begin(b)
	l.agree([]string{"posts"}, b.edges()...)
	b.check(b.stack.StopPart("postgres"))
	backup, err := b.stack.KeepPart("postgres")
	b.check(err)
	b.check(b.stack.StartPart(t.Context(), "postgres"))
	l.publish(1) // waits for the comparison, which needs NATS
	b.check(b.stack.StopPart("nats"))
	l.publish(l.lost)
	last := l.newest.Number
	b.check(b.stack.KillPart("postgres"))
	b.check(b.stack.RestorePart("postgres", backup))
	b.check(b.stack.StartPart(t.Context(), "postgres"))
	b.check(b.stack.StartPart(t.Context(), "nats"))
	l.restored()
	l.publish(3)
	want := fmt.Sprintf("after number %d", last)
	b.until(func(ctx context.Context) error {
		cores, err := b.api.Cores(ctx)
		if err != nil {
			return err
		}
		for _, c := range cores {
			for _, a := range c.Alarms {
				if a.Alarm == telemetry.DatabaseWentBack && strings.Contains(a.Detail, want) {
					return nil
				}
			}
		}
		return fmt.Errorf("no core tells that releases go on %s", want)
	})
	l.verify(0)
}
