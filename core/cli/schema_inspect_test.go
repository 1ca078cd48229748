package cli

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestInspectShowsTheBeginningOfLongOptions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("svc/schema/a.ts", `import { collection, text } from "svc/schema";
export default collection({ name: "a", fields: { f: text({ pattern: "p".repeat(5000) }), g: text({ default: "d".repeat(5000) }) } });
`)
	p := d.svc("schema", "inspect", "a")
	if p.exit != ExitOK || !strings.Contains(p.out, "pattern "+strings.Repeat("p", 200)+"…") || !strings.Contains(p.out, `default "`+strings.Repeat("d", 199)+"…") || len(p.out) > 2000 {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}

// The path of a folder may be any bytes; what is printed for machines is UTF-8 all the same.
func TestAFolderWhoseNameIsNoTextIsRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const file = "import { collection } from \"svc/schema\";\nexport default collection({ name: \"a\", fields: {} });\n"
	d.write("b\xff/a.ts", file)
	if p := d.svc("schema", "inspect", "--dir", "b\xff", "--json"); p.exit != ExitOK || !strings.Contains(p.out, `"name":"a"`) || !utf8.ValidString(p.out) {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
	d.write("b\xff/c.ts", strings.Replace(file, "fields", "felds", 1))
	if p := d.svc("schema", "inspect", "--dir", "b\xff", "--json"); p.exit != ExitValidation || !strings.Contains(p.out, `felds`) || !utf8.ValidString(p.out) {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}
