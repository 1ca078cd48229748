package schema

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"svc/shared/fault"
)

// FuzzParse feeds anything to Parse. What it takes must come back from its canonical form unchanged; what it
// refuses must be refused with reasons.
func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	for _, tt := range refusals {
		f.Add([]byte(tt.file))
	}
	files, _ := filepath.Glob("testdata/golden/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			if ft := fault.As(err); ft.Code != fault.ValidationFailed || len(ft.Items) == 0 || ft.Detail == "" {
				t.Fatalf("refused without reasons: %v", err)
			}
			return
		}
		again, err := Parse(c.Canonical())
		if err != nil {
			t.Fatalf("canonical form %s: %v", c.Canonical(), err)
		}
		if !bytes.Equal(c.Canonical(), again.Canonical()) || c.Hash() != again.Hash() {
			t.Fatalf("canonical form changes:\n%s\n%s", c.Canonical(), again.Canonical())
		}
	})
}
