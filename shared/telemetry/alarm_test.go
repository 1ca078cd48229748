package telemetry

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestAnAlarmIsLoggedOnceWhenItBeginsAndWhenItIsOver(t *testing.T) {
	var out bytes.Buffer
	r := prometheus.NewRegistry()
	a := NewAlarms(EdgeAlarms(), r, slog.New(slog.NewTextHandler(&out, nil)))
	for range 3 {
		a.Set(ApplyFailing, "prj_a", "no space")
		a.When(true, DiskFull, "", "1 byte is free")
	}
	a.Set(ApplyFailing, "prj_b", "no luck")
	a.Set(ApplyFailing, "prj_a", "still no space")
	if n := strings.Count(out.String(), "level=ERROR"); n != 3 {
		t.Errorf("%d lines instead of 3:\n%s", n, &out)
	}
	if list := a.List(); len(list) != 3 || list[0].Subject != "prj_a" || list[0].Detail != "still no space" || list[0].Since.IsZero() {
		t.Errorf("%+v", list)
	}
	answer := httptest.NewRecorder()
	Handler(r).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for kind, n := range map[AlarmKind]int{ApplyFailing: 2, CoreSilent: 0, DiskFull: 1, StoreDiverged: 0, UnknownRecord: 0} {
		if want := fmt.Sprintf("svc_alarm{alarm=%q} %d\n", kind, n); !strings.Contains(answer.Body.String(), want) {
			t.Errorf("no %s in\n%s", want, answer.Body)
		}
	}
	for range 2 {
		a.Clear(ApplyFailing, "prj_a")
		a.When(false, DiskFull, "", "")
		a.Clear(CoreSilent, "")
	}
	if n := strings.Count(out.String(), "an alarm is over"); n != 2 {
		t.Errorf("%d ends instead of 2:\n%s", n, &out)
	}
	if list := a.List(); len(list) != 1 || list[0].Subject != "prj_b" {
		t.Errorf("%+v", list)
	}
}

func TestEveryAlarmHasAMeaningAndNoOneIsNeededToHearIt(t *testing.T) {
	all := map[AlarmKind]bool{}
	for _, k := range append(CoreAlarms(), EdgeAlarms()...) {
		all[k] = true
	}
	if len(all) != len(meanings) {
		t.Errorf("%d kinds, %d meanings", len(all), len(meanings))
	}
	for k := range all {
		if meanings[k] == "" {
			t.Errorf("%s has no meaning", k)
		}
	}
	var none *Alarms
	none.Set(DiskFull, "", "x")
	none.Clear(DiskFull, "")
	if none.List() != nil {
		t.Error("a nil list")
	}
}
