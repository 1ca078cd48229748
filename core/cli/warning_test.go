package cli

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// A collection that is declared twice is warned of, for machines too.
func TestACollectionThatIsDeclaredTwiceIsWarnedOf(t *testing.T) {
	t.Parallel()
	const says = `warning: twice/a.ts:2:16  the collection "pages" is declared again at b.ts:2:16: that one counts, and this one is ignored (replaced)` + "\n"
	for _, args := range [][]string{{"schema", "diff"}, {"schema", "inspect"}, {"schema", "push"}, {"types", "--locales", ""}} {
		d := newDesk(t)
		withSchemas(d)
		args = append(args, "--dir", "twice")
		p := d.svc(args...)
		if p.exit != ExitOK || p.err != says {
			t.Errorf("%v: exit %d: %s", args, p.exit, p.err)
		}
		p = d.svc(append(args, "--json")...)
		var out struct {
			Warnings []issue `json:"warnings"`
		}
		if err := json.Unmarshal([]byte(p.out), &out); err != nil || len(out.Warnings) != 1 || out.Warnings[0].File != "twice/a.ts" || out.Warnings[0].Line != 2 ||
			out.Warnings[0].Code != "replaced" || !strings.HasPrefix(out.Warnings[0].Message, `the collection "pages" is declared again at b.ts`) {
			t.Errorf("%v: %v, %s", args, err, p.out)
		}
	}
}

// It is said of a refusal as well, since it may be the reason.
func TestARefusedPushSaysWhichDeclarationCounts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withSchemas(d)
	d.deploy(authorsJSON)
	p := d.svc("schema", "push", "--dir", "twice")
	if p.exit != ExitValidation || strings.Count(p.err, "declared again") != 1 || !strings.HasPrefix(p.err, "warning: ") {
		t.Errorf("exit %d: %s", p.exit, p.err)
	}
	p = d.svc("schema", "push", "--dir", "twice", "--json")
	if p.exit != ExitValidation || !strings.Contains(p.out, `"warnings":[{"file":"twice/a.ts"`) {
		t.Errorf("exit %d: %s", p.exit, p.out)
	}
}
