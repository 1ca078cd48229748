package typescript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"svc/shared/schema"
	"svc/shared/schema/dsl"
	"svc/shared/schema/schematest"
	"svc/shared/testrand"
)

// sameAfterLoading writes every collection as a file, loads them all, and compares.
func sameAfterLoading(t *testing.T, set []*schema.Collection) {
	t.Helper()
	dir := t.TempDir()
	byName := map[string]*schema.Collection{}
	for _, c := range set {
		byName[c.Name] = c
		if err := os.WriteFile(filepath.Join(dir, c.Name+".ts"), Source(c), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := dsl.Load(t.Context(), dir, dsl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded.Collections) != len(byName) {
		t.Errorf("%d collections are loaded from %d files", len(loaded.Collections), len(byName))
	}
	for _, got := range loaded.Collections {
		want := byName[got.Name]
		if got.Hash() == want.Hash() && got.Label == want.Label {
			continue
		}
		t.Errorf("%s comes back as another:\n%s\n%s", got.Name, cmp.Diff(string(want.Canonical()), string(got.Canonical())), Source(want))
	}
}

func TestEveryOptionComesBack(t *testing.T) {
	t.Parallel()
	set := []*schema.Collection{
		read(t, "testdata/all.json"),
		parse(t, `{"name":"plain","fields":{}}`),
		parse(t, `{"name":"authors","fields":{}}`),
	}
	files, err := filepath.Glob("../testdata/golden/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d files", err, len(files))
	}
	for _, file := range files {
		set = append(set, read(t, file))
	}
	sameAfterLoading(t, set)
	checkSources(t, set[:min(25, len(set))])
}

// checkSources has tsc look at the files, as an editor would.
func checkSources(t *testing.T, set []*schema.Collection) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "svc"), dsl.Package); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, c := range set {
		files[c.Name+".ts"] = string(Source(c))
	}
	compileIn(t, dir, files)
}

// renamed makes the things of a file others, so that many fit into one folder.
func renamed(file string, n int) string {
	return strings.ReplaceAll(file, `"things"`, fmt.Sprintf(`"things_%d"`, n))
}

func TestRandomCollectionsComeBack(t *testing.T) {
	t.Parallel()
	var set []*schema.Collection
	for seed := range 50 * testrand.Scale {
		file := schematest.Files().Example(seed)
		set = append(set, parse(t, renamed(string(file.Plain()), seed)))
	}
	for part := range slices.Chunk(set, 50) {
		sameAfterLoading(t, part)
	}
	checkSources(t, set[:min(25, len(set))])
}

// texts are hard to write down, anyJSON and numbers too.
var (
	texts = rapid.StringOfN(rapid.RuneFrom([]rune("ab \"'`\\/${}<>\n\r\t\v\b\u0001\u007f\u0085\u00a0\u00adé漢🎈\u200b\u200d\u2028\u2029\u202e\ufeff\U000e0001"), nil...), 1, 60, -1)

	numbers = rapid.Custom(func(t *rapid.T) string {
		return rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
	})

	anyJSON = rapid.Custom(func(t *rapid.T) string { return jsonValue(t, 3) })
)

func jsonValue(t *rapid.T, depth int) string {
	kinds := 5
	if depth == 0 {
		kinds = 3
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"null", "true", "false", "1", "-0", "1.0", "1e5", "1E400", "0.1"}).Draw(t, "word")
	case 1:
		return numbers.Draw(t, "number")
	case 2:
		return quotedJSON(texts.Draw(t, "text"))
	case 3:
		return "[" + strings.Join(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return jsonValue(t, depth-1) }), 0, 4).Draw(t, "items"), ",") + "]"
	}
	keys := rapid.OneOf(texts, rapid.SampledFrom([]string{"a", "b-c", "2", "10", "007", "__proto__", "constructor", "toString", ""}))
	var members []string
	for _, key := range rapid.SliceOfNDistinct(keys, 0, 4, rapid.ID[string]).Draw(t, "keys") {
		members = append(members, quotedJSON(key)+":"+jsonValue(t, depth-1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func quotedJSON(s string) string {
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err) // the generators make valid UTF-8
	}
	return string(quoted)
}

// awkward makes collections of texts, numbers and JSON that are hard to write down.
var awkward = rapid.Custom(func(t *rapid.T) string {
	text := func(what string) string { return quotedJSON(texts.Draw(t, what)) }
	number := func(what string) string { return numbers.Draw(t, what) }
	return fmt.Sprintf(`{"name":"things","label":%s,"guidance":%s,"fields":{
		"text":{"type":"text","label":%s,"description":%s,"default":%s,"ui":{"widget":%s,"helpText":%s}},
		"enum":{"type":"text","enum":["",%s,"z"]},
		"markdown":{"type":"markdown","default":%s},
		"min":{"type":"number","min":%s},"max":{"type":"number","max":%s},"number":{"type":"number","default":%s},
		"list":{"type":"list","of":{"type":"number","max":%s}},
		"json":{"type":"json","default":%s}},
		"policy":[{"rule":"bannedTerms","terms":[%s],"reason":%s},{"rule":"length","field":"text","max":3,"reason":%s}]}`,
		text("label"), text("guidance"), text("label"), text("description"), text("default"), text("widget"), text("help"), quotedJSON("m"+texts.Draw(t, "member")),
		text("markdown"), number("min"), number("max"), number("default"), number("item"), anyJSON.Draw(t, "json"), quotedJSON("t"+texts.Draw(t, "term")), text("reason"),
		text("reason"))
})

func TestAwkwardValuesComeBack(t *testing.T) {
	t.Parallel()
	var set []*schema.Collection
	for seed := range 50 * testrand.Scale {
		set = append(set, parse(t, renamed(awkward.Example(seed), seed)))
	}
	for part := range slices.Chunk(set, 25) { // a load has seconds, also on a busy machine
		sameAfterLoading(t, part)
	}
	checkSources(t, set[:min(25, len(set))])
}
