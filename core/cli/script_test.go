package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the commands print into testdata")

// desk is where the commands of a test are typed: a folder, an environment, a service.
type desk struct {
	t   *testing.T
	dir string
	env map[string]string
	api string
	// context, unless nil, is what a command ends with.
	context context.Context
	*service
}

// newDesk has a service to talk to, and settings in the environment.
func newDesk(t *testing.T) *desk {
	service, api := newService(t)
	d := &desk{t: t, dir: t.TempDir(), api: api, service: service}
	d.env = map[string]string{"SVC_TOKEN": goodToken, "SVC_API_URL": api, "SVC_PROJECT": "demo", "HOME": filepath.Join(d.dir, "home")}
	return d
}

// write puts a file into the folder, with its parents.
func (d *desk) write(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// printed is what a command left behind.
type printed struct {
	out, err string
	exit     Exit
}

// call is one command line: what is typed in, whether at a terminal, and in which environment beyond the desk's.
type call struct {
	args     []string
	in       string
	terminal bool
	width    int // of the terminal
	env      map[string]string
}

// progress is what a command shows while it waits for more than a second, as it may on a busy machine.
var progress = regexp.MustCompile(`(?m)\r\x1b\[K(?:[^\r\n]* \(\d+s\))?|^[^\n]* \(\d+s\)\n`)

func (d *desk) call(c call) printed {
	var out, errs bytes.Buffer
	ctx := d.t.Context()
	if d.context != nil {
		ctx = d.context
	}
	exit := Run(ctx, World{
		In: strings.NewReader(c.in), Out: &out, Err: &errs, Dir: d.dir,
		InTerminal: c.terminal, OutTerminal: c.terminal, ErrTerminal: c.terminal, Width: c.width,
		Env: func(name string) string {
			if v, ok := c.env[name]; ok {
				return v
			}
			return d.env[name]
		},
	}, c.args)
	return printed{d.stable(out.String()), d.stable(progress.ReplaceAllString(errs.String(), "")), exit}
}

// svc is call for plain words.
func (d *desk) svc(args ...string) printed { return d.call(call{args: args}) }

// stable replaces what differs from run to run.
func (d *desk) stable(text string) string {
	return strings.NewReplacer(d.api, "{api}", d.dir, "{dir}").Replace(text)
}

// script runs the commands in testdata/name.txt and compares what they print with what stands there. A line "$ svc …"
// is a command: variables may stand before svc, and <<< gives its input; "$ tty svc …" runs it at a terminal, "$ tty=120 svc …"
// at one of so many columns. What
// follows is standard output, then "[stderr]" and standard error, then "[exit N]" where that is not 0.
func (d *desk) script(name string) {
	d.t.Helper()
	file := filepath.Join("testdata", name+".txt")
	data, err := os.ReadFile(file)
	if err != nil {
		d.t.Fatal(err)
	}
	var got strings.Builder
	expecting := false
	for line := range strings.Lines(string(data)) {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case isCommand:
			expecting = true
			got.WriteString(line)
			got.WriteString(d.run(strings.TrimSuffix(command, "\n")))
		case strings.HasPrefix(line, "# "):
			expecting = false
			got.WriteString(line)
		case !expecting:
			got.WriteString(line)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(data), got.String()); diff != "" {
		d.t.Errorf("%s (-want +got; -update accepts):\n%s", file, diff)
	}
}

func (d *desk) run(command string) string {
	c := call{env: map[string]string{}}
	command, c.in, _ = strings.Cut(command, " <<< ")
	c.in = strings.ReplaceAll(c.in, `\n`, "\n")
	before, args, ok := strings.Cut(" "+command, " svc")
	if !ok {
		d.t.Fatalf("not a call of svc: %s", command)
	}
	for _, word := range strings.Fields(before) {
		if word == "tty" {
			c.terminal = true
			continue
		}
		name, value, _ := strings.Cut(word, "=")
		if name == "tty" {
			var err error
			if c.width, err = strconv.Atoi(value); err != nil {
				d.t.Fatal(err)
			}
			c.terminal = true
			continue
		}
		c.env[name] = value
	}
	c.args = words(args)
	p := d.call(c)
	text := p.out
	if p.err != "" {
		text += "[stderr]\n" + p.err
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if p.exit != ExitOK {
		text += fmt.Sprintf("[exit %d]\n", p.exit)
	}
	return strings.ReplaceAll(text, "\x1b", "␛") + "\n"
}

// words splits as a shell does, with single quotes.
func words(text string) []string {
	var out []string
	for i, part := range strings.Split(text, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}
