package dsl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMappingsAreRead(t *testing.T) {
	t.Parallel()
	names, all, err := readMappings([]byte(`{"version": 3, "sources": ["schema:a.ts", "svc:svc/schema"], "mappings": "AAAA,IAAM;;gBCAN,AAgBA"}`))
	want := []mapping{{0, 0, 0, spot{0, 0}}, {0, 4, 0, spot{0, 6}}, {2, 16, 1, spot{0, 0}}, {2, 16, 1, spot{16, 0}}}
	got := all
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(mapping{}, spot{})); err != nil || diff != "" || len(names) != 2 || names[0] != "a.ts" || names[1] != "" {
		t.Errorf("%v, %q\n%s", err, names, diff)
	}
	for _, broken := range []string{"", "{}x", `{"sources": [], "mappings": "AAAA"}`, `{"sources": ["a"], "mappings": "AA"}`, `{"sources": ["a"], "mappings": "AA!A"}`, `{"sources": ["a"], "mappings": "AAgggggggggA"}`} {
		if _, _, err := readMappings([]byte(broken)); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
}
