package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// foreseen are changes of a folder that is looked at now.
func foreseen(t *testing.T, dir string, files ...pulledFile) []pulledFile {
	t.Helper()
	for i, f := range files {
		var err error
		if files[i].before, err = readDisk(filepath.Join(dir, f.File)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// change carries out changes of a folder.
func (d *desk) change(dir string, files []pulledFile) error {
	a := &app{World: World{Dir: d.dir, Env: func(string) string { return "" }}}
	l, err := a.lockFolder(dir, false)
	if err != nil {
		return err
	}
	defer l.release()
	return a.writePulled(l, dir, files)
}

// A write that fails in the middle leaves the folder as it was, with modes and links.
func TestPullUndoesWhatItCannotFinish(t *testing.T) {
	d := newDesk(t)
	dir := filepath.Join(d.dir, "svc/schema")
	d.write("svc/schema/a.ts", "a")
	d.write("svc/schema/b.ts", "b")
	if err := os.Symlink("b.ts", filepath.Join(dir, "link.ts")); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
	if err := os.Chmod(filepath.Join(dir, "a.ts"), 0o751); err != nil {
		t.Fatal(err)
	}
	before := d.files("svc/schema")
	files := foreseen(t, dir, []pulledFile{
		{File: "a.ts", Outcome: fileUpdated, text: []byte("new")},
		{File: "link.ts", Outcome: fileUpdated, text: []byte("new")},
		{File: "deep/er/new.ts", Outcome: fileCreated, text: []byte("new")},
		{File: "b.ts", Outcome: fileRemoved},
		{File: "missing.ts", Outcome: fileRemoved},
	}...)
	err := d.change(dir, files)
	if err == nil || !strings.Contains(err.Error(), "svc/schema/missing.ts: ") || !strings.HasSuffix(err.Error(), "; nothing was changed") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, d.files("svc/schema")); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(filepath.Join(dir, "a.ts"))
	if err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("the mode is %v, %v", info, err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "link.ts")); err != nil || to != "b.ts" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "deep")); err == nil {
		t.Error("a folder is left behind")
	}
}

// What somebody writes while a pull is at work stays, and the pull takes back no more than its own.
func TestPullWritesOverNothingThatItHasNotSeen(t *testing.T) {
	d := newDesk(t)
	dir := filepath.Join(d.dir, "svc/schema")
	d.write("svc/schema/a.ts", "a")
	d.write("svc/schema/b.ts", "b")
	for name, meanwhile := range map[string]func(){
		"changed": func() { d.write("svc/schema/b.ts", "theirs") },
		"made":    func() { d.write("svc/schema/c.ts", "theirs") },
		"removed": func() { os.Remove(filepath.Join(dir, "b.ts")) }, //nolint:errcheck // the folder shows it
	} {
		d.write("svc/schema/b.ts", "b")
		os.Remove(filepath.Join(dir, "c.ts")) //nolint:errcheck // it may be there
		files := foreseen(t, dir, []pulledFile{
			{File: "a.ts", Outcome: fileUpdated, text: []byte("new")}, {File: "b.ts", Outcome: fileRemoved}, {File: "c.ts", Outcome: fileCreated, text: []byte("new")},
		}...)
		meanwhile()
		before := d.files("svc/schema")
		if err := d.change(dir, files); err == nil || !strings.Contains(err.Error(), "it was changed meanwhile; nothing was changed") {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, d.files("svc/schema")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Where nothing can be written, nothing is taken back, and what is the matter is said once.
func TestPullSaysOnceWhyAFolderCannotBeWritten(t *testing.T) {
	d := newDesk(t)
	dir := filepath.Join(d.dir, "svc/schema")
	d.write("svc/schema/a.ts", "a")
	d.write("svc/schema/file", "x")
	before := d.files("svc/schema")
	err := d.change(dir, foreseen(t, dir, pulledFile{File: "a.ts", Outcome: fileUpdated, text: []byte("new")}, pulledFile{File: "b.ts", Outcome: fileCreated, text: []byte("new")},
		pulledFile{File: strings.Repeat("x", 250) + ".ts", Outcome: fileCreated, text: []byte("new")}))
	if err == nil || err.Error() != "FAILED: svc/schema: file name too long; nothing was changed" {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, d.files("svc/schema")); diff != "" {
		t.Error(diff)
	}
	if os.Getuid() == 0 {
		t.Skip("this user may write everywhere: a folder that is read-only is not shown")
	}
	d.deploy(tagsJSON, authorsJSON)
	d.write("svc/schema/tags.ts", typed(t, changedTags))
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) }) //nolint:errcheck // for the end of the test
	if p := d.svc("schema", "pull", "--yes"); p.exit != ExitFailed || p.err != "error: svc/schema: permission denied; nothing was changed [FAILED]\n" {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}

// Of pulls at the same time, some carry the change out and the others say that they do not.
func TestPullsAtTheSameTimeDoNotUndoEachOther(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		d := newDesk(t)
		d.deploy(authorsJSON, postsJSON, changedTags)
		if !fresh {
			d.write("svc/schema/tags.ts", typed(t, tagsJSON))
			d.write("svc/schema/old.ts", typed(t, `{"name": "old", "fields": {}}`))
		}
		all := make([]printed, 6)
		var working sync.WaitGroup
		for i := range all {
			working.Go(func() { all[i] = d.svc("schema", "pull", "--yes") })
		}
		working.Wait()
		var done []string
		for _, p := range all {
			switch {
			case p.exit == ExitOK:
				done = append(done, p.out)
			case p.exit != ExitFailed || !strings.Contains(p.err, "another pull is at work in ") && !strings.Contains(p.err, "meanwhile; nothing was changed"):
				t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
			}
		}
		if len(done) == 0 {
			t.Errorf("none did it: %v", all)
		}
		d.declares("svc/schema")
		for name := range d.files("svc/schema") {
			if !slices.Contains([]string{"authors.ts", "posts.ts", "tags.ts", "tsconfig.json", ".svc/schema.d.ts"}, name) {
				t.Errorf("%s is left behind", name)
			}
		}
	}
}

// A second pull ends at once, and says why; proposing a change only reads, and so do several at a time.
func TestASecondPullEnds(t *testing.T) {
	w := newWorkTree(t, changedTags)
	a := &app{World: World{Dir: w.dir, Env: func(string) string { return "" }}}
	for _, shared := range []bool{false, true} {
		l, err := a.lockFolder(filepath.Join(w.dir, "svc/schema"), shared)
		if err != nil {
			t.Fatal(err)
		}
		p := w.svc("schema", "pull")
		if p.exit != ExitFailed || p.err != "error: another pull is at work in svc/schema; nothing was changed [FAILED]\nhint: try again when it is done\n" {
			t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
		}
		if p := w.pull(); (p.exit == ExitOK) != shared {
			t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
		}
		l.release()
	}
	if p := w.svc("schema", "pull"); p.exit != ExitOK {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}

func TestReadDisk(t *testing.T) {
	dir := t.TempDir()
	if d, err := readDisk(filepath.Join(dir, "nothing")); err != nil || d.there {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := readDisk(dir); err == nil {
		t.Error("a folder is read")
	}
	if err := os.Symlink("nothing", filepath.Join(dir, "link")); err == nil {
		if _, err := readDisk(filepath.Join(dir, "link")); !os.IsNotExist(err) {
			t.Errorf("a link to nothing: %v", err)
		}
	}
	if d := (onDisk{there: true, mode: fs.FileMode(0o640), data: []byte("x")}); d.putBack(filepath.Join(dir, "file")) != nil {
		t.Error("it is not put back")
	}
}
