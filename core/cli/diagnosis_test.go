package cli

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/shared/fault"
)

func TestDiagnosis(t *testing.T) {
	t.Parallel()
	newDesk(t).script("diagnosis")
}

// Of the checks of svc doctor each one fails once. Those that need it are not reached then, and the others are made.
func TestDoctorMakesItsChecks(t *testing.T) {
	t.Parallel()
	all := []string{"configuration", "api", "credential", "project", "scopes", "cors", "clock", "edges"}
	for _, c := range []struct {
		failing    string
		breaks     func(d *desk)
		notReached string
		says       string
	}{
		{"", func(*desk) {}, "", "Everything is well."},
		{"configuration", func(d *desk) { delete(d.env, "SVC_TOKEN") }, "api credential project scopes cors clock edges", "set SVC_TOKEN"},
		{"configuration", func(d *desk) { delete(d.env, "SVC_PROJECT") }, "api credential project scopes cors clock edges", "set SVC_PROJECT"},
		{"api", func(d *desk) { d.env["SVC_API_URL"] = served(t, hangUp(t)) }, "credential project scopes cors clock edges", "is the service running there?"},
		{"credential", func(d *desk) { d.env["SVC_TOKEN"] = "svc_sk_gone_secret" }, "project scopes cors edges", "has been revoked"},
		{"project", func(d *desk) { d.env["SVC_PROJECT"] = "other" }, "scopes cors", "the project is other, from SVC_PROJECT"},
		{"scopes", func(d *desk) { d.env["SVC_TOKEN"] = weakToken }, "", "may not be used for schema diff, schema push, entries import, change-sets publish"},
		{"cors", func(d *desk) { d.env["ORIGIN"] = "https://blog.example" }, "", "cors: allow it"},
		{"clock", func(d *desk) { d.date = time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat) }, "", "is 1h0m0s ahead of the server's"},
		{"clock", func(d *desk) { d.date = time.Now().Add(time.Hour).UTC().Format(http.TimeFormat) }, "", "is 1h0m0s behind the server's"},
		{"edges", func(d *desk) { d.oneEdge = false }, "", "edge-2 (not ready), edge-3 (ready, alarm)"},
		{"edges", func(d *desk) { d.noFleet = fault.New(fault.Unavailable, "edges report through NATS") }, "", "edges report through NATS"},
	} {
		d := newDesk(t)
		d.oneEdge = true
		d.env["ORIGIN"] = "https://shop.example"
		c.breaks(d)
		p := d.svc("doctor", "--origin", d.env["ORIGIN"])
		if (p.exit == ExitOK) != (c.failing == "") || p.exit > ExitFailed || !strings.Contains(p.out, c.says) {
			t.Errorf("%s: exit %d, and it does not say %q: %s%s", c.failing, p.exit, c.says, p.out, p.err)
		}
		lines := strings.Split(p.out, "\n")[1:]
		for n, name := range all {
			want := "passed"
			switch {
			case name == c.failing:
				want = "failed"
			case strings.Contains(c.notReached, name):
				want = "not reached"
			case name == "edges" && c.failing == "scopes": // which this token may not see
				continue
			}
			if words := strings.Fields(lines[n]); words[0] != name || !strings.HasPrefix(strings.Join(words[1:], " "), want) {
				t.Errorf("%s: %q, want %s %s", c.failing, lines[n], name, want)
			}
		}
	}
}
