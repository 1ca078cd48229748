package follow_test

import (
	"slices"
	"testing"
	"time"

	"svc/replication/follow"
	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/shared/telemetry"
)

func TestSettledTimesAndCredentialAge(t *testing.T) {
	r := newRig(t)
	project, organization := r.project(), r.organization()
	f := r.follow(&followtest.Store{}, quick())
	f.ready()
	r.lose(project)
	r.lose(organization)
	settled := time.Now().UTC().Truncate(time.Millisecond)
	if !f.Settled(project).IsZero() {
		t.Error("settled before any heartbeat")
	}
	began := time.Now()
	r.until("the time is settled", func() bool {
		r.beat(settled) // again and again, as core does: one may come before anybody listens
		return f.Settled(project).Equal(settled)
	})
	if age := f.CredentialAge(organization); age > time.Since(began) {
		t.Errorf("credentials are %s old", age)
	}
	if age := f.CredentialAge("org_other"); age != follow.Never {
		t.Errorf("credentials of an unknown organization are %s old", age)
	}

	r.answers.SetUnavailable(true)
	r.publish(project, 1)
	r.core.Append(organization, followtest.Key("key_00000000000000000000000001", true))
	began = time.Now()
	r.beat(settled.Add(time.Second)) // neither change has come
	r.until("the heads are known", func() bool { s, _ := f.Log(organization); return s.Behind == 1 })
	r.until("the log is late", func() bool { s, _ := f.Log(project); return s.Late > 0 })
	aged := f.CredentialAge(organization)
	r.until("credentials grow old", func() bool { return f.CredentialAge(organization) > aged+20*time.Millisecond })
	if got := f.Settled(project); !got.Equal(settled) {
		t.Errorf("settled up to %v, want %v", got, settled)
	}
	r.relay(project)
	r.relay(organization)
	f.level(project, organization)
	r.until("the later time is settled", func() bool { return f.Settled(project).Equal(settled.Add(time.Second)) })
	if age := f.CredentialAge(organization); age > time.Since(began) {
		t.Errorf("credentials are %s old", age)
	}
	if f.Silence() > time.Since(began) {
		t.Errorf("core was last heard %s ago", f.Silence())
	}
}

func TestWithoutCoreCredentialsAreOfUnknownAge(t *testing.T) {
	r := newRig(t)
	organization := r.organization()
	store := &followtest.Store{}
	f := r.follow(store, quick())
	f.level(organization)
	f.stop()
	r.answers.SetUnavailable(true)
	tuning := quick()
	tuning.Patience = 20 * time.Millisecond
	f = r.follow(store, tuning)
	f.ready()
	if age := f.CredentialAge(organization); age != follow.Never {
		t.Errorf("credentials are said to be %s old", age)
	}
	if f.Silence() != follow.Never {
		t.Errorf("core is said to have been heard %s ago", f.Silence())
	}
}

func TestWhileHeartbeatsAreSilentCoreIsAsked(t *testing.T) {
	r := newRig(t)
	project := r.project()
	tuning := quick()
	tuning.Silence = 50 * time.Millisecond
	f := r.follow(&followtest.Store{}, tuning)
	f.ready()
	r.publish(project, 3) // and neither the stream nor a heartbeat says so
	f.level(project)
}

func TestEdgesReport(t *testing.T) {
	r := newRig(t)
	project, broken := r.project(), r.project()
	store := &followtest.Store{Refuse: func(c *record.Change) error {
		if c.Log == broken && c.Position.Seq == 3 {
			panic("no")
		}
		return nil
	}}
	f := r.follow(store, quick())
	f.ready()
	r.lose(project)
	r.lose(broken)
	r.publish(project, 2)
	r.publish(broken, 2)
	r.relay(project)
	r.relay(broken)
	f.level(project)
	var report *follow.Report
	r.until("the report tells", func() bool {
		all, err := r.conn.Reports(t.Context())
		if err != nil || len(all["edge-1"].Data) == 0 {
			return false
		}
		if report, err = follow.DecodeReport(all["edge-1"].Data); err != nil {
			t.Fatal(err)
		}
		level := slices.ContainsFunc(report.Positions, func(l follow.LogReport) bool {
			return l.Log == project && l.Position == r.core.Head(project).String()
		})
		return report.Ready && len(report.Alarms) > 0 && level // or it is from before that
	})
	if report.Edge != "edge-1" || report.Build != "test" || report.Logs != 2 || len(report.Positions) != 2 {
		t.Errorf("%+v", report)
	}
	if len(report.Alarms) != 1 || report.Alarms[0].Kind != telemetry.ApplyFailing || report.Alarms[0].Subject != broken || report.Alarms[0].Detail == "" {
		t.Errorf("alarms: %+v", report.Alarms)
	}
	first, second := report.Positions[0], report.Positions[1]
	if first.Log != broken || first.Trouble == "" {
		t.Errorf("trouble comes first: %+v", first)
	}
	if second.Log != project || second.Position != r.core.Head(project).String() || second.State != r.core.Sum(project).String() {
		t.Errorf("%+v", second)
	}
}
