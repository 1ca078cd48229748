package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A folder that a pull begins is understood by editors as one that init begins is.
func TestPullSetsUpANewFolder(t *testing.T) {
	t.Parallel()
	begun := newDesk(t)
	begun.svc("init")
	d := newDesk(t)
	d.deploy(authorsJSON, postsJSON)
	p := d.svc("schema", "pull")
	if p.exit != ExitOK || !strings.Contains(p.out, "+  tsconfig.json     for editors: new file\n") || !strings.Contains(p.out, ".svc/schema.d.ts") {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
	for _, file := range []string{declarations, editorConfig} {
		if diff := cmp.Diff(begun.read("svc/schema/"+file), d.read("svc/schema/"+file)); diff != "" {
			t.Errorf("%s is not what init writes:\n%s", file, diff)
		}
	}
	if said, err := compile(filepath.Join(d.dir, "svc/schema")); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestPullLeavesWhatEditorsHaveAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string // before
		new   []string
	}{
		{"an empty folder", map[string]string{"README.md": "x"}, []string{declarations, editorConfig}},
		{"a configuration of its own", map[string]string{editorConfig: "{}"}, []string{declarations}},
		{"declarations of its own", map[string]string{declarations: "x"}, []string{editorConfig}},
		{"both", map[string]string{editorConfig: "{}", declarations: "x"}, nil},
		{"schemas without anything beside them", map[string]string{"tags.ts": typed(t, tagsJSON)}, nil},
		{"a file that declares nothing", map[string]string{"shared.mjs": "export const most = 80;"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.deploy(authorsJSON, tagsJSON)
			for name, text := range tt.files {
				d.write("svc/schema/"+name, text)
			}
			want := d.files("svc/schema")
			p := d.svc("schema", "pull", "--json")
			got := d.files("svc/schema")
			for _, name := range append(tt.new, "authors.ts", "tags.ts") {
				if got[name] == "" {
					t.Errorf("%s was not written: %s%s", name, p.out, p.err)
				}
				delete(got, name)
				delete(want, name)
			}
			if diff := cmp.Diff(want, got); diff != "" || p.exit != ExitOK {
				t.Errorf("exit %d: %s%s\n%s", p.exit, p.out, p.err, diff)
			}
			if named := strings.Contains(p.out, `"editorFiles":["`+strings.Join(tt.new, `","`)+`"]`); named != (tt.new != nil) {
				t.Errorf("said %s", p.out)
			}
		})
	}
}

// Nothing is deployed: a folder is not begun for that.
func TestPullOfNothingWritesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const says = "Nothing is deployed to demo, and svc/schema declares nothing: there is nothing to write.\n"
	if p := d.svc("schema", "pull"); p.exit != ExitOK || p.out != says || len(d.files("svc")) != 0 {
		t.Errorf("exit %d: %s%s, wrote %v", p.exit, p.out, p.err, d.files("svc"))
	}
}
