package cli

import (
	"strings"
	"testing"
)

// A pull asks about the files it would overwrite or remove whose text is nowhere else, and about no other.
func TestPullAsksAboutWhatGitDoesNotHold(t *testing.T) {
	const question = "error: overwriting or removing "
	for _, tt := range []struct {
		name   string
		change func(w *workTree)
		asks   string // empty where it does not
	}{
		{"all is committed", func(*workTree) {}, ""},
		{"another file is changed", func(w *workTree) { w.write("svc/schema/shared.ts", "export const most = 9;") }, ""},
		{"a file that is none of its business", func(w *workTree) { w.write("svc/schema/.foo", "x") }, ""},
		{"the file is changed", func(w *workTree) { w.write("svc/schema/tags.ts", w.read("svc/schema/tags.ts")+"// mine\n") },
			"tags.ts in svc/schema, which git does not hold as it is, needs to be confirmed"},
		{"a change that is staged alone", func(w *workTree) {
			w.write("svc/schema/tags.ts", w.read("svc/schema/tags.ts")+"// mine\n")
			w.git("add", ".")
		}, "tags.ts in svc/schema, which"},
		{"a file to remove that is not committed", func(w *workTree) { w.write("svc/schema/old.ts", typed(w.t, `{"name": "old", "fields": {}}`)) },
			"old.ts in svc/schema, which"},
		{"a file that git ignores", func(w *workTree) {
			w.write("svc/schema/old.ts", typed(w.t, `{"name": "old", "fields": {}}`))
			w.write(".gitignore", "old.ts\n")
		}, "old.ts in svc/schema, which"},
		{"two of them", func(w *workTree) {
			w.write("svc/schema/tags.ts", w.read("svc/schema/tags.ts")+"// mine\n")
			w.write("svc/schema/old.ts", typed(w.t, `{"name": "old", "fields": {}}`))
		}, "old.ts, tags.ts in svc/schema, which git does not hold as they are, needs to be confirmed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkTree(t, changedTags)
			w.write("svc/schema/shared.ts", "export const most = 8;")
			w.git("add", ".")
			w.git("commit", "--quiet", "-m", "Add")
			tt.change(w)
			before := w.state()
			p := w.svc("schema", "pull")
			if tt.asks == "" {
				if p.exit != ExitOK || w.read("svc/schema/tags.ts") != typed(t, changedTags) {
					t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
				}
				return
			}
			if p.exit != ExitUsage || !strings.HasPrefix(p.err, question+tt.asks) || w.state() != before {
				t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
			}
			if p := w.svc("schema", "pull", "--yes"); p.exit != ExitOK {
				t.Errorf("with --yes: exit %d: %s%s", p.exit, p.out, p.err)
			}
		})
	}
}
