package e2e

import (
	"fmt"
	"time"
)

// measures is how often something is measured before it counts as too slow.
const measures = 3

// within measures until it comes out as it should: others may use the machine too, and slow one measure down, while what is at
// fault here slows all of them.
func (b *bed) within(measure func() error) {
	b.t.Helper()
	var err error
	for range measures {
		if err = measure(); err == nil {
			return
		}
		b.t.Logf("measured: %v", err)
	}
	b.t.Errorf("measured %d times: %v", measures, err)
}

// revoked revokes a key that both edges let in, and is an error where it was good for more than a second.
func (b *bed) revoked() error {
	b.t.Helper()
	key := b.mint("content:read")
	b.same(with(key.Secret, b.edges()...), b.list("memos"))
	b.check(b.api.RevokeProjectKey(b.t.Context(), b.project.Slug, key.Key.ID))
	began := time.Now()
	b.refusedSoon(with(key.Secret, b.edges()...), b.list("memos"))
	if took := time.Since(began); took > time.Second {
		return fmt.Errorf("a revoked key was good for %s", took)
	}
	return nil
}

// thrice is an error where some part of a sample, in percent, took more than three times as long as while all was quiet, and the
// slack.
func (s lagSample) thrice(what string, quiet lagSample, slack time.Duration, parts ...int) error {
	for _, part := range parts {
		if got, most := s.at(part), 3*quiet.at(part)+slack; got > most {
			return fmt.Errorf("%d %% of %s show within %s, not within %s: three times the %s while all is quiet, and %s",
				part, what, got, most, quiet.at(part), slack)
		}
	}
	return nil
}
