package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
)

// editDesk has an editor that runs a script of the shell on "$1"; each script is used once, the last one from then on.
type editDesk struct {
	*desk
	temp string
}

func newEditDesk(t *testing.T) *editDesk {
	d := &editDesk{newDesk(t), t.TempDir()}
	withContent(d.desk)
	d.env["TMPDIR"] = d.temp
	return d
}

// edit edits the entry 6 by these scripts.
func (d *editDesk) edit(c call, scripts ...string) printed {
	d.t.Helper()
	if err := os.RemoveAll(filepath.Join(d.dir, "scripts")); err != nil {
		d.t.Fatal(err)
	}
	for n, s := range scripts {
		d.write("scripts/"+string(rune('1'+n)), s)
	}
	d.env["EDITOR"] = `f() { s=$(ls scripts | head -n 1); . scripts/$s; r=$?; [ $(ls scripts | wc -l) = 1 ] || rm scripts/$s; return $r; }; f`
	c.args = append([]string{"entries", "edit", string(id[content.EntryID](6))}, c.args...)
	return d.call(c)
}

// kept is the file that an edit left behind; empty where it left none.
func (d *editDesk) kept() string {
	d.t.Helper()
	files, err := filepath.Glob(filepath.Join(d.temp, "*"))
	if err != nil || len(files) > 1 {
		d.t.Fatal(files, err)
	}
	if len(files) == 0 {
		return ""
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// A change set that takes no edits is refused before there is one.
func TestAnEditForAPublishedSetOpensNoEditor(t *testing.T) {
	t.Parallel()
	d := newEditDesk(t)
	p := d.edit(call{args: []string{"--change-set", string(id[content.ChangeSetID](3))}}, "touch opened")
	_, err := os.Stat(filepath.Join(d.dir, "opened"))
	if p.exit != ExitFailed || !strings.Contains(p.err, "chs_00000000000000000000000003 is published and takes no more edits") || err == nil || d.kept() != "" {
		t.Errorf("exit %d, %v: %s", p.exit, err, p.err)
	}
}

const patched = "PATCH /v1/projects/demo/entries/ent_00000000000000000000000006"

func TestAnEditStagesWhatWasChangedAndNothingElse(t *testing.T) {
	t.Parallel()
	first, on := string(id[content.ChangeSetID](1)), string(id[content.RevisionID](2))
	for name, test := range map[string]struct{ script, args, body, changed string }{
		"a field":         {`sed -i 's/title: One/title: "007"/' "$1"`, "", `{"data":{"title":"007"},"changeSetId":"` + first + `","expectedRevisionId":"` + on + `"}`, "title"},
		"a number":        {`sed -i 's/1.50/0.10/' "$1"`, "", `{"data":{"views":0.10},"changeSetId":"` + first + `","expectedRevisionId":"` + on + `"}`, "views"},
		"cleared":         {`sed -i '/big:/d; s/title: One/title: null/' "$1"`, "", `{"data":{"big":null,"title":null},"changeSetId":"` + first + `","expectedRevisionId":"` + on + `"}`, "title, big"},
		"added":           {`printf '  tags: [a, 2026-01-31]\n  none: null\n' >> "$1"`, "", `{"data":{"tags":["a","2026-01-31"]},"changeSetId":"` + first + `","expectedRevisionId":"` + on + `"}`, "tags"},
		"the slug":        {`sed -i 's/^slug: one/slug: two/' "$1"`, "", `{"data":{},"slug":"two","changeSetId":"` + first + `","expectedRevisionId":"` + on + `"}`, "slug"},
		"with a summary":  {`sed -i 's/title: One/title: Two/' "$1"`, "--summary Why", `{"data":{"title":"Two"},"changeSetId":"` + first + `","changeSummary":"Why","expectedRevisionId":"` + on + `"}`, "title"},
		"in another set":  {`sed -i 's/title: Live/title: Two/' "$1"`, "--change-set chs_00000000000000000000000002", `{"data":{"title":"Two"},"changeSetId":"chs_00000000000000000000000002","expectedRevisionId":"rev_00000000000000000000000001"}`, "title"},
		"nothing":         {`true`, "", "", ""},
		"only the layout": {`sed -i '/^#/d; s/^slug: one/slug: "one"/; s/views: 1.50/views:   1.50 # as before/' "$1"; printf '\n\n' >> "$1"`, "", "", ""},
		"only the order":  {`printf 'fields:\n  seo: {en: y, de: x}\n  text: "a\\nb\\n"\n  big: 9007199254740993\n  views: 1.50\n  title: One\nslug: one\n' > "$1"`, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newEditDesk(t)
			p := d.edit(call{args: strings.Fields(test.args)}, test.script)
			if p.exit != ExitOK || d.bodies[patched] != test.body || d.kept() != "" {
				t.Errorf("exit %d: %s%s\nsent %s\nkept %s", p.exit, p.out, p.err, d.bodies[patched], d.kept())
			}
			want := "Nothing was changed, and nothing was staged.\n"
			if test.changed != "" {
				want = ": " + test.changed + "\n"
			}
			if !strings.HasSuffix(p.out, want) {
				t.Errorf("%s, want %s", p.out, want)
			}
		})
	}
}

// An edit that takes the place of a removal says so, in the file and once it is staged.
func TestAnEditInsteadOfARemovalSaysSo(t *testing.T) {
	t.Parallel()
	for _, removes := range []content.Operation{content.OperationUnpublish, content.OperationDelete} {
		d := newEditDesk(t)
		d.removes = removes
		p := d.edit(call{}, `grep -q 'instead of the `+string(removes)+` that it stages now' "$1" && sed -i 's/title: One/title: Two/' "$1"`)
		if want := ": title, instead of the " + string(removes) + " that it staged\n"; p.exit != ExitOK || !strings.HasSuffix(p.out, want) {
			t.Errorf("exit %d, not %q: %s%s", p.exit, want, p.out, p.err)
		}
	}
}

func TestAnEditedFileAsJSON(t *testing.T) {
	t.Parallel()
	d := newEditDesk(t)
	p := d.edit(call{args: []string{"--json"}}, `cp "$1" as-opened; sed -i 's/"One"/"T\\u0077o"/' "$1"`)
	if p.exit != ExitOK || !strings.HasPrefix(d.bodies[patched], `{"data":{"title":"Two"},`) || !strings.Contains(p.out, `"changed":["title"]`) {
		t.Errorf("exit %d: %s%s\n%s", p.exit, p.out, p.err, d.bodies[patched])
	}
	text, err := os.ReadFile(filepath.Join(d.dir, "as-opened"))
	const want = "{\n  \"slug\": \"one\",\n  \"fields\": {\n    \"title\": \"One\",\n    \"views\": 1.50,\n    \"big\": 9007199254740993,\n"
	if err != nil || !strings.HasPrefix(string(text), want) {
		t.Errorf("%v %s", err, text)
	}
	p = d.edit(call{args: []string{"--json"}}, `sed -i '1s/^/\xef\xbb\xbf/' "$1"`) // as some editors begin a file
	if p.out != `{"version":1,"data":{"changed":[],"written":null}}`+"\n" {
		t.Error(p.out)
	}
}

// A file that is not taken is kept, and its errors name what is wrong.
func TestAnEditThatIsRefusedIsKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		json   bool
		exit   Exit
		want   string
		kept   string
	}{
		"by the service": {`sed -i 's/title: One/title: Bad/' "$1"`, false, ExitValidation, "fields.title", ""},
		"no YAML":        {`echo '  x: [' >> "$1"`, false, ExitValidation, "FILE:15:1  is not valid YAML: did not find expected node content", ""},
		"a number":       {`echo '  x: 0x1F' >> "$1"`, false, ExitValidation, "FILE:14:6  0x1F is no number", ""},
		"twice":          {`echo '  title: Two' >> "$1"`, false, ExitValidation, "fields", ""},
		"unknown":        {`echo 'more: 1' >> "$1"`, false, ExitValidation, "more: is not known here", ""},
		"no fields":      {`echo 'slug: one' > "$1"`, false, ExitValidation, "fields: is missing", ""},
		"fields a list":  {`echo 'fields: []' > "$1"`, false, ExitValidation, "fields: must be an object", ""},
		"emptied":        {`: > "$1"`, false, ExitValidation, "FILE  is empty", "nothing"},
		"slug cleared":   {`sed -i '/^slug/d' "$1"`, false, ExitValidation, "slug: cannot be cleared", ""},
		"slug a number":  {`sed -i 's/^slug: one/slug: 7/' "$1"`, false, ExitValidation, "slug: must be a text", ""},
		"no JSON":        {`echo '{' > "$1"`, true, ExitValidation, "FILE:2:1  is not valid JSON: unexpected EOF", ""},
		"JSON, further":  {`sed -i 's/"One"/"é" One/' "$1"`, true, ExitValidation, "FILE:4:18  is not valid JSON: invalid character 'O' after object value", ""},
		"editor failed":  {`echo >> "$1"; false`, false, ExitFailed, "failed: exit status 1", ""},
		"behind by now":  {`sed -i 's/title: One/title: Two/' "$1"`, false, ExitFailed, "open it again", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newEditDesk(t)
			d.edited = name == "behind by now"
			c := call{}
			if test.json {
				c.args = []string{"--json"}
			}
			p := d.edit(c, test.script)
			got := regexp.MustCompile(regexp.QuoteMeta(d.temp)+`/svc-ent_00000000000000000000000006-\d+\.(yaml|json)`).ReplaceAllString(p.err, "FILE")
			if p.exit != test.exit || !strings.Contains(got, test.want) || !strings.Contains(got, "your edit is kept in FILE") || (d.kept() == "") != (test.kept == "nothing") {
				t.Errorf("exit %d, kept %q, not %q:\n%s", p.exit, d.kept(), test.want, got)
			}
			if name != "by the service" && name != "behind by now" && d.bodies[patched] != "" {
				t.Errorf("sent %s", d.bodies[patched])
			}
		})
	}
}

// A field may be called slug as well.
func TestWhatAnEditChangesIsNamedOnce(t *testing.T) {
	t.Parallel()
	was := document{slug: orNull("a"), fields: jsontext.Value(`{"slug":"a","title":"A"}`)}
	for _, fields := range []string{`{"slug":"b","title":"B"}`, `{"title":"B"}`} {
		_, names, err := was.changes("file", document{slug: orNull("b"), fields: jsontext.Value(fields)})
		if want := []string{"slug", "title"}; err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: %v, not %v: %v", fields, names, want, err)
		}
	}
}

func TestARefusedEditIsEditedAgainOnATerminal(t *testing.T) {
	t.Parallel()
	d := newEditDesk(t)
	p := d.edit(call{terminal: true, in: "y\ny\n"}, `sed -i 's/title: One/title: Bad/' "$1"`, `echo 'more: 1' >> "$1"`, `sed -i 's/title: Bad/title: Good/; /^more/d' "$1"`)
	if p.exit != ExitOK || !strings.HasPrefix(d.bodies[patched], `{"data":{"title":"Good"}`) || strings.Count(p.err, "Edit it again?") != 2 || d.kept() != "" {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
	p = d.edit(call{terminal: true, in: "n\n"}, `sed -i 's/title: One/title: Bad/' "$1"`)
	if p.exit != ExitValidation || strings.Count(p.err, "must be good") != 1 || !strings.Contains(d.kept(), "title: Bad") {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}

func TestAnEditWithoutWhatItNeeds(t *testing.T) {
	t.Parallel()
	d := newEditDesk(t)
	p := d.edit(call{}, `false`)
	if p.exit != ExitFailed || strings.Contains(p.err, "kept") || d.kept() != "" {
		t.Errorf("an editor that fails and changes nothing: exit %d: %s, kept %s", p.exit, p.err, d.kept())
	}
	if p := d.edit(call{terminal: true}, `rm "$1"`); p.exit != ExitFailed || !strings.Contains(p.err, "so nothing was staged") || strings.Contains(p.err, "kept") ||
		strings.Contains(p.err, "again?") || d.bodies[patched] != "" {
		t.Errorf("an editor that removes the file: exit %d: %s", p.exit, p.err)
	}
	d.env["VISUAL"], d.env["EDITOR"] = "true", "false"
	if p := d.svc("entries", "edit", string(id[content.EntryID](6))); p.exit != ExitOK {
		t.Errorf("VISUAL comes first: exit %d: %s", p.exit, p.err)
	}
	for n, want := range map[byte]string{8: "say which one with --change-set", 5: "brings it back"} {
		if p := d.svc("entries", "edit", string(id[content.EntryID](n))); p.exit != ExitFailed || !strings.Contains(p.err, want) {
			t.Errorf("exit %d: %s", p.exit, p.err)
		}
	}
	d.env["VISUAL"], d.env["EDITOR"] = "", ""
	if p := d.svc("entries", "edit", string(id[content.EntryID](6))); p.exit != ExitUsage || !strings.Contains(p.err, "no editor is named") {
		t.Errorf("exit %d: %s", p.exit, p.err)
	}
}

// Whoever interrupts an edit has staged nothing, and keeps what was written by then.
func TestAnEditThatIsInterrupted(t *testing.T) {
	t.Parallel()
	d := newEditDesk(t)
	begun, never := filepath.Join(d.dir, "begun"), filepath.Join(d.dir, "never")
	for _, pipe := range []string{begun, never} {
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		defer interrupt()
		if _, err := os.ReadFile(begun); err != nil {
			t.Error(err)
		}
	}()
	d.context = ctx
	p := d.edit(call{}, `echo '# half' >> "$1"; echo > begun; read x < never`)
	if p.exit != ExitFailed || !strings.Contains(p.err, "interrupted") || strings.Contains(p.err, "may have been staged") || !strings.HasSuffix(d.kept(), "# half\n") {
		t.Errorf("exit %d: %s, kept %s", p.exit, p.err, d.kept())
	}
}
