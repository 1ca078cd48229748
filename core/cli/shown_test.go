package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

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
		asks := strings.Contains(command, "publish") || strings.Contains(command, "rebase") // at a terminal
		if p := d.svc(words(command)[1:]...); p.exit == ExitUsage && !asks {
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
		{[]string{"schema", "promote", "--from", "lean", "--yes", "--project", "demo"}, `"svc schema drift --against lean" tells`},
		{[]string{"schema", "push", "--project", "demo", "--dir", "next"}, `"svc schema diff" tells`},
		{[]string{"change-sets", "publish", string(set), "--yes", "--project", "demo"}, string(`"svc change-sets show ` + set + `" tells`)},
		{[]string{"entries", "import", "rows.jsonl", "-c", "posts", "--project", "demo"}, `"svc change-sets list --status open" tells`},
		{[]string{"releases", "unpin", "--yes", "--project", "demo"}, `"svc releases list" tells`},
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
