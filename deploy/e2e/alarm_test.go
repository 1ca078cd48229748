package e2e

import (
	"context"
	"errors"
	"fmt"

	"svc/shared/telemetry"
)

// coreAlarmed is nil once a core tells that changes do not get to the stream.
func (b *bed) coreAlarmed(ctx context.Context) error {
	cores, err := b.api.Cores(ctx)
	if err != nil {
		return err
	}
	for _, c := range cores {
		for _, a := range c.Alarms {
			if a.Alarm == telemetry.RelayStalled || a.Alarm == telemetry.StreamAway {
				b.t.Logf("%s: %s", a.Alarm, a.Detail)
				return nil
			}
		}
	}
	return errors.New("no core tells that changes do not get to the stream")
}

// alarmed tells whether an edge reports an alarm.
func (b *bed) alarmed(ctx context.Context, edge string, kind telemetry.AlarmKind) (bool, error) {
	fleet, err := b.api.Edges(ctx)
	if err != nil {
		return false, err
	}
	for _, e := range fleet {
		for _, a := range e.Alarms {
			if e.ID == edge && a.Alarm == kind {
				return true, nil
			}
		}
	}
	return false, nil
}

func (b *bed) awaitAlarm(edge string, kind telemetry.AlarmKind) {
	b.t.Helper()
	b.until(func(ctx context.Context) error {
		if on, err := b.alarmed(ctx, edge, kind); err != nil || !on {
			return errors.Join(err, fmt.Errorf("%s does not report %s", edge, kind))
		}
		return nil
	})
}

func (b *bed) untilNoAlarm(edge string, kind telemetry.AlarmKind) {
	b.t.Helper()
	b.until(func(ctx context.Context) error {
		if on, err := b.alarmed(ctx, edge, kind); err != nil || on {
			return errors.Join(err, fmt.Errorf("%s reports %s", edge, kind))
		}
		return nil
	})
}
