package dsl

import (
	"path/filepath"
	"testing"
)

func TestAFolderIsLoadedAsItWouldBeAfterChanges(t *testing.T) {
	dir := folderOf(t, map[string]string{"a.ts": notes("a"), "b.ts": notes("b"), "deep/c.ts": notes("c")})
	changes := map[string][]byte{"a.ts": nil, "b.ts": []byte(notes("changed")), "deep/new.ts": []byte(notes("d"))}
	for at, want := range map[string]string{dir: "c changed d", filepath.Join(dir, "missing"): "changed d"} {
		set, err := Load(t.Context(), at, Options{Replace: changes})
		if err != nil || names(set) != want {
			t.Errorf("it declares %s, %v; want %s", names(set), err, want)
		}
	}
	if got := names(mustLoad(t, dir)); got != "a b c" {
		t.Errorf("the folder itself declares %s", got)
	}
	all := map[string][]byte{"a.ts": nil, "b.ts": nil, "deep/c.ts": nil}
	if _, err := Load(t.Context(), dir, Options{Replace: all}); err != ErrNoFiles {
		t.Errorf("all files left out: %v", err)
	}
}
