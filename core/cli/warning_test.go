package cli

import (
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/client"
	"svc/shared/schema"
)

// What is said of a collection that is declared twice stands at the end of what a command prints, for machines too.
func TestACollectionThatIsDeclaredTwiceIsWarnedOfAtTheEnd(t *testing.T) {
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
		if inConfirmation := strings.HasSuffix(p.out, says); inConfirmation != (args[1] == "push") {
			t.Errorf("%v: it prints %s", args, p.out)
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

// A set that no request can carry is refused before any is sent.
func TestASetThatIsTooLargeIsNotSent(t *testing.T) {
	t.Parallel()
	large := `import { collection, text } from "svc/schema";
const choices = Array.from({ length: 20000 }, (_, i) => "choice number " + i + "x".repeat(N));
export default [
  collection({ name: "big", fields: { f: text({ enum: choices }) } }),
  collection({ name: "large", fields: { f: text({ enum: choices }) } }),
  collection({ name: "small", fields: { f: text() } }),
];
`
	d := newDesk(t)
	d.write("svc/schema/a.ts", strings.Replace(large, "N", "10", 1))
	for _, command := range []string{"diff", "push"} {
		p := d.svc("schema", command)
		want := "error: the schemas in svc/schema are 1.2 MiB as JSON (1,"
		if p.exit != ExitFailed || !strings.HasPrefix(p.err, want) || !strings.Contains(p.err, "and the service takes 1.0 MiB (1,048,576 bytes) at most; nothing was sent [PAYLOAD_TOO_LARGE]") ||
			!strings.Contains(p.err, "svc/schema/a.ts:4:3  the collection big has 6") || !strings.Contains(p.err, "the collection large has") || strings.Contains(p.err, "small") {
			t.Errorf("%s: exit %d: %s", command, p.exit, p.err)
		}
	}
	if len(d.bodies) > 0 {
		t.Errorf("the service was asked %d times", len(d.bodies))
	}
	if p := d.svc("schema", "inspect"); p.exit != ExitOK { // nothing is sent
		t.Errorf("exit %d: %s", p.exit, p.err)
	}
	d.write("svc/schema/a.ts", strings.Replace(large, "N", "0", 1))
	if p := d.svc("schema", "diff"); p.exit != ExitOK {
		t.Errorf("exit %d: %s", p.exit, p.err)
	}
}

// What fits exactly is sent, and a summary counts.
func TestTheLargestSetIsSentButForASummary(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	padded := func(n int) {
		d.write("svc/schema/a.ts", `import { collection, text } from "svc/schema";
const choices = Array.from({ length: 10000 }, (_, i) => "choice " + i + "x".repeat(80));
export default collection({ name: "a", guidance: "x".repeat(`+strconv.Itoa(n)+`), fields: { f: text({ enum: choices }) } });
`)
	}
	padded(1)
	var out struct {
		Data struct {
			Collections []struct {
				Schema jsontext.Value `json:"schema"`
			} `json:"collections"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(d.svc("schema", "inspect", "--json").out), &out); err != nil || len(out.Data.Collections) != 1 {
		t.Fatal(err, out)
	}
	size, err := client.SchemaBytes([]jsontext.Value{out.Data.Collections[0].Schema}, "")
	if err != nil {
		t.Fatal(err)
	}
	padded(1 + schema.MaxSetBytes - size)
	for _, args := range [][]string{{"diff"}, {"push"}} {
		if p := d.svc(append([]string{"schema"}, args...)...); p.exit != ExitOK || len(d.bodies) == 0 {
			t.Errorf("%v: exit %d, %d sent: %s", args, p.exit, len(d.bodies), p.err)
		}
	}
	sent := len(d.bodies)
	p := d.svc("schema", "push", "--summary", "x")
	if p.exit != ExitFailed || len(d.bodies) != sent || !strings.HasPrefix(p.err, "error: the schemas in svc/schema with the summary are 1.0 MiB as JSON (1,048,590 bytes), and") {
		t.Errorf("exit %d, %d more sent: %s", p.exit, len(d.bodies)-sent, p.err)
	}
}
