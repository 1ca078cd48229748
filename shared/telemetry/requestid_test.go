package telemetry

import "testing"

func TestRequestIDHonoursAValidTraceparent(t *testing.T) {
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	for _, good := range []string{"00-" + id + "-00f067aa0ba902b7-01", "cc-" + id + "-00f067aa0ba902b7-01-later"} {
		if got := RequestID(good, ""); got != id {
			t.Errorf("%s gave %s", good, got)
		}
	}
	for _, bad := range []string{
		"", "00", "00-" + id, "ff-" + id + "-00f067aa0ba902b7-01", "00-" + id + "-00f067aa0ba902b7-01-x",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-" + id + "-0000000000000000-01",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", "00-" + id + "-00f067aa0ba902b7-0",
	} {
		got := RequestID(bad, "")
		if got == id || !isTraceID(got) {
			t.Errorf("%q gave %s", bad, got)
		}
	}
	if RequestID("", id) != id || RequestID("", id+"\r\nx: y") == id {
		t.Error("an id that an edge gave stays, and nothing else does")
	}
}
