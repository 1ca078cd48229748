package record

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestLogsShowAPositionAsItIsWritten(t *testing.T) {
	var out bytes.Buffer
	at := Position{Epoch: 1, Seq: 10, Chain: Hash{205, 203}}
	slog.New(slog.NewJSONHandler(&out, nil)).Info("loaded", "at", at)
	if !strings.Contains(out.String(), `"at":"`+at.String()+`"`) {
		t.Error(out.String())
	}
}
