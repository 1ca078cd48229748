package record

import (
	"encoding/hex"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
)

// String writes a position as epoch.seq.chain, the chain in hexadecimal; ParsePosition reads it.
func (p Position) String() string {
	return fmt.Sprintf("%d.%d.%s", p.Epoch, p.Seq, p.Chain)
}

// LogValue has logs show a position as String writes it.
func (p Position) LogValue() slog.Value { return slog.StringValue(p.String()) }

// ParsePosition reads what String wrote, and nothing else.
func ParsePosition(s string) (Position, error) {
	var p Position
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return p, fmt.Errorf("position %q is not epoch.seq.chain", shorten(s))
	}
	var err error
	if p.Epoch, err = strconv.ParseUint(parts[0], 10, 63); err != nil {
		return p, fmt.Errorf("epoch of position %q: %w", shorten(s), err)
	}
	if p.Seq, err = strconv.ParseUint(parts[1], 10, 63); err != nil {
		return p, fmt.Errorf("sequence of position %q: %w", shorten(s), err)
	}
	chain, err := hex.DecodeString(parts[2])
	if err != nil || len(chain) != len(p.Chain) {
		return p, fmt.Errorf("chain of position %q is not %d bytes in hexadecimal", shorten(s), len(p.Chain))
	}
	copy(p.Chain[:], chain)
	return p, nil
}
