package content

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"svc/shared/testrand"
)

func TestTimesAreWrittenInOneForm(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		ms := rapid.OneOf(rapid.Int64Range(-62135596800000, 253402300799999), rapid.Int64Range(-2000, 2000)).Draw(t, "milliseconds")
		if got, want := string(AppendTime(nil, ms)), FormatTime(time.UnixMilli(ms)); got != want {
			t.Fatalf("%d is %s, want %s", ms, got, want)
		}
	})
}
