package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/shared/schema"
	"svc/shared/schema/dsl"
	"svc/shared/schema/typescript"
)

// deploy makes the service hold these collections.
func (d *desk) deploy(files ...string) {
	d.t.Helper()
	d.deployed = nil
	for _, file := range files {
		c, err := schema.Parse([]byte(file))
		if err != nil {
			d.t.Fatal(err)
		}
		d.deployed = append(d.deployed, c)
	}
}

// declares checks that a folder declares what is deployed.
func (d *desk) declares(dir string) {
	d.t.Helper()
	set, err := dsl.Load(d.t.Context(), filepath.Join(d.dir, dir), dsl.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	got, want := map[string]string{}, map[string]string{}
	for _, c := range set.Collections {
		got[c.Name] = c.Label + " " + c.Hash()
	}
	for _, c := range d.deployed {
		want[c.Name] = c.Label + " " + c.Hash()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		d.t.Errorf("the folder declares something else than what is deployed:\n%s", diff)
	}
}

// files are those of a folder, with their text.
func (d *desk) files(dir string) map[string]string {
	d.t.Helper()
	out := map[string]string{}
	root := filepath.Join(d.dir, dir)
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		out[name] = string(data)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		d.t.Fatal(err)
	}
	return out
}

func typed(t *testing.T, file string) string {
	t.Helper()
	c, err := schema.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(typescript.Source(c))
}

// Deployed collections, as the service answers them.
const (
	authorsJSON = `{"name": "authors", "label": "Authors", "titleField": "name",
		"fields": {"name": {"type": "text", "required": true, "maxLength": 80}, "slug": {"type": "slug"}}}`
	postsJSON = `{"name": "posts", "label": "Posts", "visibility": "public", "titleField": "title", "path": "/blog/{slug}",
		"policy": [{"rule": "required", "fields": ["body"]}],
		"fields": {"title": {"type": "text", "required": true, "localized": true}, "slug": {"type": "slug", "from": "title"},
			"body": {"type": "markdown"}, "author": {"type": "reference", "to": "authors"}}}`
	tagsJSON = `{"name": "tags", "label": "Tags", "fields": {"name": {"type": "text", "required": true}}}`
)

func TestPullWritesAFilePerCollectionOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.deploy(authorsJSON, postsJSON)
	p := d.svc("schema", "pull")
	if p.exit != ExitOK || p.err != "" || !strings.Contains(p.out, "posts.ts") || !strings.HasSuffix(p.out, "\ncompared with demo: every collection differs\n") {
		t.Fatalf("exit %d: %s%s", p.exit, p.out, p.err)
	}
	d.declares("svc/schema")
	written := d.files("svc/schema")
	if len(written) != 4 || written["posts.ts"] != typed(t, postsJSON) {
		t.Errorf("wrote %v", written)
	}
	p = d.svc("schema", "pull")
	if p.exit != ExitOK || p.out != "In sync: the files of svc/schema declare what is deployed to demo.\n" {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
	if diff := cmp.Diff(written, d.files("svc/schema")); diff != "" {
		t.Error(diff)
	}
	d.deploy(authorsJSON, postsJSON, tagsJSON)
	if p = d.svc("schema", "pull"); !strings.HasSuffix(p.out, "\ncompared with demo: 2 collections unchanged\n") {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}

func TestPullKeepsFilesThatMeanTheSame(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.deploy(tagsJSON)
	d.write("svc/schema/deep/my-tags.mts", `// Written by hand.
import { collection, text } from "svc/schema";
import { name } from "../shared/name";
export const tags = collection({ fields: { name }, label: 'Tags', name: "tags", visibility: "private" })`)
	d.write("svc/schema/shared/name.ts", `import { text } from "svc/schema";
export const name = text({ required: true, localized: false });`)
	before := d.files("svc/schema")
	if p := d.svc("schema", "pull"); p.exit != ExitOK || !strings.HasPrefix(p.out, "In sync") {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
	if diff := cmp.Diff(before, d.files("svc/schema")); diff != "" {
		t.Error(diff)
	}
}

func TestPullChangesFilesOfOneCollectionAlone(t *testing.T) {
	t.Parallel()
	other := strings.Replace(tagsJSON, `"required": true`, `"maxLength": 9`, 1)
	gone := `{"name": "gone", "fields": {}}`
	both := `import { collection, text } from "svc/schema";
export const tags = collection({ name: "tags", fields: { name: text() } });
export const gone = collection({ name: "gone", fields: {} });
`
	for _, tt := range []struct {
		name           string
		files          map[string]string
		exit           Exit
		after          map[string]string // what differs
		says           string
		removed, wrong []string
	}{
		{name: "another label", files: map[string]string{"tags.ts": typed(t, strings.Replace(tagsJSON, "Tags", "Labels", 1))}, after: map[string]string{"tags.ts": typed(t, tagsJSON)}, says: "tags: changed"},
		{name: "another field, in a file of another name", files: map[string]string{"a/b.js": typed(t, other)}, after: map[string]string{"a/b.js": typed(t, tagsJSON)}, says: "a/b.js"},
		{name: "not deployed", files: map[string]string{"tags.ts": typed(t, tagsJSON), "x.ts": typed(t, gone)}, removed: []string{"x.ts"}, says: "removed, since it is not deployed"},
		{name: "changed in a file of two", files: map[string]string{"two.ts": both}, exit: ExitFailed, says: "svc/schema/two.ts  declares tags otherwise than it is deployed"},
		{name: "a file of two beside one of one", files: map[string]string{"two.ts": strings.Replace(both, "text()", "text({ required: true })", 1)}, exit: ExitFailed, says: "svc/schema/two.ts  declares gone, which is not deployed"},
		{name: "the name is taken", files: map[string]string{"tags.ts": "export const shared = 1;"}, exit: ExitFailed, says: "svc/schema/tags.ts  declares no collection tags"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.deploy(tagsJSON)
			for name, text := range tt.files {
				d.write("svc/schema/"+name, text)
			}
			want := d.files("svc/schema")
			for name, text := range tt.after {
				want[name] = text
			}
			for _, name := range tt.removed {
				delete(want, name)
			}
			if len(tt.after)+len(tt.removed) > 0 { // what git does not hold is not lost unasked
				kept := d.files("svc/schema")
				if p := d.svc("schema", "pull"); p.exit != ExitUsage || !strings.Contains(p.err, "needs to be confirmed") {
					t.Errorf("no one confirmed: exit %d: %s%s", p.exit, p.out, p.err)
				}
				if diff := cmp.Diff(kept, d.files("svc/schema")); diff != "" {
					t.Error(diff)
				}
			}
			p := d.svc("schema", "pull", "--yes")
			if p.exit != tt.exit || !strings.Contains(p.out+p.err, tt.says) {
				t.Errorf("exit %d, and not %q in: %s%s", p.exit, tt.says, p.out, p.err)
			}
			if diff := cmp.Diff(want, d.files("svc/schema")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// References to a collection whose file is missing are no obstacle: the pull brings that file.
func TestPullRestoresACollectionThatOthersReferTo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.deploy(authorsJSON, postsJSON)
	d.write("svc/schema/posts.ts", typed(t, postsJSON))
	p := d.svc("schema", "pull")
	if p.exit != ExitOK || d.files("svc/schema")["authors.ts"] != typed(t, authorsJSON) {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
	d.declares("svc/schema")
}

func TestPullChangesNothingWhereItCannotEndWell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string
		token string
		empty bool
		exit  Exit
		says  string
	}{
		{name: "a file that does not load", files: map[string]string{"x.ts": "export default ("}, exit: ExitValidation, says: "x.ts:1"},
		{name: "nothing is deployed", files: map[string]string{"tags.ts": typed(t, tagsJSON)}, empty: true, exit: ExitFailed, says: "nothing is deployed"},
		{name: "a key that sees a part", token: weakToken, exit: ExitFailed, says: "sees the collections posts alone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			if !tt.empty {
				d.deploy(tagsJSON)
			}
			for name, text := range tt.files {
				d.write("svc/schema/"+name, text)
			}
			before := d.files("svc/schema")
			env := map[string]string{}
			if tt.token != "" {
				env["SVC_TOKEN"] = tt.token
			}
			p := d.call(call{args: []string{"schema", "pull"}, env: env})
			if p.exit != tt.exit || !strings.Contains(p.err, tt.says) {
				t.Errorf("exit %d, and not %q in: %s%s", p.exit, tt.says, p.out, p.err)
			}
			if diff := cmp.Diff(before, d.files("svc/schema")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPullForMachines(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.deploy(authorsJSON, tagsJSON)
	d.write("svc/schema/tags.ts", typed(t, tagsJSON))
	p := d.svc("schema", "pull", "--json")
	const want = `{"version":1,"data":{"dir":"{dir}/svc/schema","inSync":false,"files":[` +
		`{"collection":"authors","file":"authors.ts","outcome":"created"},{"collection":"tags","file":"tags.ts","outcome":"unchanged"}]}}`
	if strings.TrimSpace(p.out) != want {
		t.Errorf("got %s%s", p.out, p.err)
	}
	if names := slices.Sorted(func(yield func(string) bool) {
		for name := range d.files("svc/schema") {
			if !yield(name) {
				return
			}
		}
	}); !slices.Equal(names, []string{"authors.ts", "tags.ts"}) {
		t.Errorf("the folder holds %v", names)
	}
}
