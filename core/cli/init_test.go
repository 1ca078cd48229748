package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/schema/dsl"
	"svc/shared/validate"
	"svc/shared/value"
)

func TestInit(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("old/.svc.json", `{"project": "old", "schemaDir": "schemas"}`)
	d.write("old/schemas/pages.mts", pagesFile)
	d.write("old/schemas/.svc/schema.d.ts", "// of an earlier program\n")
	d.write("rows", "a file where a folder should be")
	d.write("wrong/.svc.json", `{"projekt": "old"}`)
	d.script("init")
	for file, want := range map[string]string{
		"old/.svc.json":                `{"project": "old", "schemaDir": "schemas"}`,
		"old/schemas/pages.mts":        pagesFile,
		"old/schemas/.svc/schema.d.ts": "// of an earlier program\n",
		"rows":                         "a file where a folder should be",
		"site/.svc.json":               "{\n  \"apiUrl\": \"https://api.example.com\",\n  \"project\": \"my-site\",\n  \"schemaDir\": \"svc/schema\"\n}\n",
	} {
		if got := d.read(file); got != want {
			t.Errorf("%s holds %s", file, got)
		}
	}
	for _, never := range []string{"old/schemas/posts.ts", "site2", "wrong/svc"} {
		if _, err := os.Stat(filepath.Join(d.dir, never)); err == nil {
			t.Errorf("%s was written", never)
		}
	}
}

// A link in the place of a file is left alone, wherever it leads.
func TestInitWritesThroughNoLink(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("svc/schema/README.md", "")
	if err := os.Symlink(filepath.Join(d.dir, "elsewhere"), filepath.Join(d.dir, "svc/schema/posts.ts")); err != nil {
		t.Fatal(err)
	}
	p := d.svc("init")
	if _, err := os.Lstat(filepath.Join(d.dir, "elsewhere")); err == nil || p.exit != ExitOK {
		t.Errorf("exit %d, %s%s", p.exit, p.out, p.err)
	}
}

// What init writes is understood by the compiler that editors use, with nothing installed beside it.
func TestAFreshFolderCompiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if p := d.svc("init"); p.exit != ExitOK {
		t.Fatalf("exit %d, %s", p.exit, p.err)
	}
	if said, err := compile(filepath.Join(d.dir, "svc/schema")); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	d.write("svc/schema/wrong.ts", strings.Replace(pagesFile, "text()", "text({ maxLenght: 3 })", 1))
	if said, err := compile(filepath.Join(d.dir, "svc/schema")); err == nil || !strings.Contains(said, "wrong.ts(2,") {
		t.Errorf("a wrong option is no error: %v\n%s", err, said)
	}
}

// What the examples ask of an entry can be given as text: assets are uploaded somewhere else, if anywhere.
func TestAnEntryOfTextAloneFitsTheExamples(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if p := d.svc("init"); p.exit != ExitOK {
		t.Fatalf("exit %d, %s", p.exit, p.err)
	}
	set, err := dsl.Load(t.Context(), filepath.Join(d.dir, "svc/schema"), dsl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	noAssets := func(content.AssetID) (validate.Asset, bool) { return validate.Asset{}, false }
	for _, c := range set.Collections {
		fields := map[string]any{}
		for _, f := range c.Fields {
			if f.Type == schema.TypeText {
				fields[f.Key] = "Words"
			}
		}
		written, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		stored, found := validate.Entry(c.Collection, value.Locales{}, written, value.FillRequired)
		broken, err := validate.PolicyOf(c.Collection).Check(value.Locales{}, stored, noAssets)
		if err != nil || len(found)+len(broken) > 0 {
			t.Errorf("%s: %v, %v, %v", c.Name, err, found, broken)
		}
	}
}

// compile runs the TypeScript compiler over a folder. Debian's package node-typescript has it; install.sh installs that.
func compile(dir string) (said string, err error) {
	out, err := exec.Command("tsc", "--noEmit", "--pretty", "false", "-p", dir).CombinedOutput()
	return string(out), err
}

func (d *desk) read(name string) string {
	d.t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(name)))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}
