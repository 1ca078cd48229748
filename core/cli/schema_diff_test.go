package cli

import (
	"testing"

	"svc/core/wire"
)

// --exit-code makes a difference a failure, as a check for CI needs it; content errors are one in any case.
func TestDiffTellsByItsExitCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		deployed string
		misfits  []wire.ContentError
		args     []string
		exit     Exit
	}{
		{"in sync", tagsJSON, nil, []string{"--exit-code"}, ExitOK},
		{"a difference", authorsJSON, nil, []string{"--exit-code"}, ExitValidation},
		{"a difference, for machines", authorsJSON, nil, []string{"--exit-code", "--json"}, ExitValidation},
		{"a difference, unasked", authorsJSON, nil, nil, ExitOK},
		{"content errors", authorsJSON, []wire.ContentError{{Collection: "tags"}}, []string{"--exit-code"}, ExitValidation},
		{"content errors, unasked", authorsJSON, []wire.ContentError{{Collection: "tags"}}, nil, ExitValidation},
	} {
		d := newDesk(t)
		d.deploy(tt.deployed)
		d.misfits = tt.misfits
		d.write("svc/schema/tags.ts", typed(t, tagsJSON))
		if p := d.svc(append([]string{"schema", "diff"}, tt.args...)...); p.exit != tt.exit {
			t.Errorf("%s: exit %d, want %d: %s%s", tt.name, p.exit, tt.exit, p.out, p.err)
		}
	}
}
