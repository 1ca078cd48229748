package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/core/client"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// A command that is shown works with what the call works with that shows it.
func TestShownCommandsGoOnWithTheFlagsOfTheCall(t *testing.T) {
	t.Parallel()
	all := flags{token: goodToken, apiURL: "https://api.example.com", project: "demo", organization: "press", dir: "my schemas"}
	for _, tt := range []struct {
		flags flags
		words []string
		want  string
	}{
		{flags{}, []string{"schema", "diff"}, `"svc schema diff"`},
		{flags{project: "demo", dir: "next"}, []string{"schema", "diff"}, `"svc schema diff --project demo --dir next"`},
		{flags{project: "demo", dir: "next"}, []string{"schema", "drift", "--against", "lean"}, `"svc schema drift --against lean --project demo"`},
		{all, []string{"init", "my site"}, `"svc init 'my site'"`},
		{flags{dir: "it's"}, []string{"types"}, `"svc types --dir 'it'\''s'"`},
		{all, []string{"schema", "pull"}, `"svc schema pull --api-url https://api.example.com --project demo --dir 'my schemas' --token …"`},
		{all, []string{"whoami"}, `"svc whoami --api-url https://api.example.com --token …"`},
		{all, []string{"cores"}, `"svc cores --api-url https://api.example.com --token …"`},
		{all, []string{"change-sets", "list"}, `"svc change-sets list --api-url https://api.example.com --project demo --token …"`},
	} {
		if got := (&app{flags: tt.flags}).typed(tt.words...); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.words, got, tt.want)
		}
	}
}

// shownCommand is a command in what the scripts of testdata print.
var shownCommand = regexp.MustCompile(`"(svc [^"]+)"|next:\S* (svc .*)`)

// Every command that an error, a warning or a result tells people to type can be typed like that.
func TestEveryShownCommandCanBeTyped(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{} // the script, by command
	for _, script := range scripts {
		data, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "{") || strings.HasPrefix(line, "error: ") || strings.Contains(line, `did you mean "`) {
				continue // what is typed, what machines read, what is wrong, and the beginning of what may be right
			}
			for _, m := range shownCommand.FindAllStringSubmatch(line, -1) {
				shown[m[1]+m[2]] = script
			}
		}
	}
	if len(shown) < 15 {
		t.Errorf("found %v alone", shown)
	}
	for command, script := range shown {
		d := newDesk(t)
		withSchemas(d)
		withContent(d)
		d.elsewhere = map[string][]*schema.Collection{"lean": nil}
		if p := d.svc(words(strings.ReplaceAll(command, "…", goodToken))[1:]...); p.exit == ExitUsage && !strings.Contains(command, "publish") {
			t.Errorf("%s shows %q, and that ends with %s", script, command, p.err)
		}
	}
}

// What was perhaps carried out is found out by a command that says all it needs.
func TestAWriteWithoutAnAnswerShowsAWholeCommand(t *testing.T) {
	t.Parallel()
	set := id[content.ChangeSetID](4)
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"schema", "promote", "--from", "lean", "--yes", "--project", "demo"}, `"svc schema drift --against lean --project demo" tells`},
		{[]string{"schema", "push", "--project", "demo", "--dir", "next"}, `"svc schema diff --project demo --dir next" tells`},
		{[]string{"change-sets", "publish", string(set), "--yes", "--project", "demo"}, string(`"svc change-sets show ` + set + ` --project demo" tells`)},
		{[]string{"entries", "import", "rows.jsonl", "-c", "posts", "--project", "demo"}, `"svc change-sets list --status open --project demo" tells`},
		{[]string{"releases", "unpin", "--yes", "--project", "demo"}, `"svc releases list --project demo" tells`},
	} {
		d := newDesk(t)
		withSchemas(d)
		withContent(d)
		for name, server := range map[string]http.HandlerFunc{
			"no answer": hangUp(t),
			"a gateway": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) },
			"an edge":   refusing(fault.New(fault.Unavailable, "the management service cannot be reached")),
		} {
			d.env["SVC_API_URL"] = served(t, server)
			if p := d.svc(tt.args...); p.exit != ExitUnavailable || !strings.Contains(p.err, tt.says) {
				t.Errorf("%v, %s: exit %d: %s", tt.args, name, p.exit, p.err)
			}
		}
		d.env["SVC_API_URL"] = served(t, refusing(fault.New(fault.RateLimited, "too many requests")))
		if p := d.svc(tt.args...); p.exit != ExitUnavailable || strings.Contains(p.err, tt.says) {
			t.Errorf("%v, refused at once: exit %d: %s", tt.args, p.exit, p.err)
		}
	}
}

// A hint of what fills a folder names the folder that was looked into, and starts none elsewhere.
func TestHowToFillAFolder(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("site/.svc.json", `{"schemaDir": "schemas"}`)
	d.write("site/deep/er/.keep", "")
	for dir, want := range map[string]string{
		".":            `; "svc init" starts one, and "svc schema pull" writes what is deployed`,
		"site":         `; "svc init" starts one, and "svc schema pull" writes what is deployed`,
		"site/deep/er": `; "svc init {dir}/site" starts one, and "svc schema pull" writes what is deployed`,
	} {
		at := *d
		at.dir = filepath.Join(d.dir, dir)
		p := at.svc("schema", "diff")
		if says := strings.ReplaceAll(p.err, d.dir, "{dir}"); !strings.Contains(says, want) {
			t.Errorf("in %s: %s", dir, says)
		}
	}
	p := d.svc("schema", "diff", "--dir", "nowhere", "--project", "demo")
	if want := `hint: name a folder with --dir; "svc schema pull --project demo --dir nowhere" writes what is deployed` + "\n"; !strings.HasSuffix(p.err, want) {
		t.Error(p.err)
	}
}

// The service says of both projects that there is none; which one it is about can be told.
func TestOfTwoProjectsTheOneThatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	missing := &client.Error{Status: 404, Code: "NOT_FOUND", Detail: "there is no such project"}
	d := newDesk(t)
	a := &app{World: World{Dir: d.dir, Env: func(name string) string { return d.env[name] }}}
	if err := a.connectProject(ordinary); err != nil {
		t.Fatal(err)
	}
	if f := a.explain(a.aboutOther(t.Context(), "--from", "lean", missing)); f.detail != `there is no project "lean"` || !strings.Contains(f.hint, "--from") {
		t.Errorf("%q, %q", f.detail, f.hint)
	}
	there := a.project
	a.project = "elsewhere"
	if f := a.explain(a.aboutOther(t.Context(), "--from", "lean", missing)); f.detail != missing.Detail || !strings.Contains(f.hint, "from SVC_PROJECT") {
		t.Errorf("%q, %q", f.detail, f.hint)
	}
	a.project = there
	refused := &client.Error{Status: 403, Code: "FORBIDDEN", Detail: "no"}
	if f := a.explain(a.aboutOther(t.Context(), "--from", "lean", refused)); f.detail != "no" {
		t.Errorf("%q, %q", f.detail, f.hint)
	}
}
