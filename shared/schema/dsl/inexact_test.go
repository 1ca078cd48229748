package dsl

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svc/shared/schema"
	"svc/shared/testrand"
)

// numberFile is a file with an expression as the default of a json field, and others before it.
func numberFile(before, expression string) string {
	return "import { collection, exact, json } from \"svc/schema\";\n" + before +
		"\nexport default collection({ name: \"a\", fields: { x: json({ default: " + expression + " }) } });\n"
}

// A number literal means what it says, or it is refused where it stands.
func TestNumberLiteralsAreExactOrRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, text string
		at           string // of the literal, "" where all is well
		says         string
	}{
		{text: "9007199254740993", at: "a.ts:3:69", says: "9007199254740993 is not a number that JavaScript can hold, which would make it 9007199254740992; write exact(\"9007199254740993\")"},
		{text: "[1, -9007199254740993]", at: "a.ts:3:74", says: "write exact(\"-9007199254740993\")"},
		{text: "- 9_007_199_254_740_993", at: "a.ts:3:71", says: "write exact(\"-9007199254740993\")"},
		{text: "{ a: { b: 0.10000000000000000001 } }", at: "a.ts:3:79", says: "would make it 0.1; write exact(\"0.10000000000000000001\")"},
		{text: "0xfffffffffffffff1", at: "a.ts:3:69", says: "write exact(\"18446744073709551601\")"},
		{before: "const x = [1e400].length;", text: "x", at: "a.ts:2:12", says: "would make it Infinity; write exact(\"1e400\")"},
		{text: "1e-400", at: "a.ts:3:69", says: "would make it 0; write exact(\"1e-400\")"},
		{text: ".10000000000000000001", at: "a.ts:3:69", says: "write exact(\"0.10000000000000000001\")"},
		{text: "0." + strings.Repeat("1", 120), at: "a.ts:3:69", says: "a number has at most 100 digits"},
		{text: "{ 9007199254740993: 1 }", at: "a.ts:3:71"},
		{before: "const big = 9007199254740993;", text: "big", at: "a.ts:2:13"},
		{before: "enum Big { A = 9007199254740993 }", text: "Big.A", at: "a.ts:2:16"},
		{before: "const f = () => `${9007199254740993}`;", text: "f()", at: "a.ts:2:20"},
		{before: "/* ä€😀 */ const f = (n = 9007199254740993) => n;", text: "f()", at: "a.ts:2:27"},
		{before: "const x = 1 / 9007199254740993 / 2;", text: "x", at: "a.ts:2:15"},
		{before: "\u2028const x = 9007199254740993;", text: "x", at: "a.ts:3:11"},
		{text: "exact(\"9007199254740993\")"},
		{text: "[9007199254740992, 0.1, 1e21, 1e22, 123456789012345680000, 5e-324, 1.10, 0x10, 1_000, 0b11, 0o17, 1.7976931348623157e308]"},
		{before: "// 9007199254740993\n/* 9007199254740993 */", text: "\"9007199254740993\""},
		{before: "const p = /9007199254740993/.source + `9007199254740993`;", text: "p"},
		{before: "type T = 9007199254740993; const x9007199254740993: T | 1 = 1;", text: "x9007199254740993"},
	} {
		dir := folderOf(t, map[string]string{"a.ts": numberFile(c.before, c.text)})
		_, err := loadHere(t, dir, Options{})
		if err == nil || c.at == "" {
			if err != nil || c.at != "" {
				t.Errorf("%s\n%s ends in %v", c.before, c.text, err)
			}
			continue
		}
		if got := err.Error(); !strings.HasPrefix(got, c.at+": ") || !strings.Contains(got, c.says) || strings.Contains(got, "\n") {
			t.Errorf("%s\n%s is refused with\n%s", c.before, c.text, got)
		}
	}
}

func TestEveryNumberLiteralIsToldAtOnce(t *testing.T) {
	t.Parallel()
	got := refusal(t, folderOf(t, map[string]string{
		"a.ts": numberFile("", "9007199254740993"), "b.js": strings.ReplaceAll(numberFile("const x = 9007199254740993;", "x"), `"a"`, `"b"`),
		"c.ts": "\uFEFFexport const x = 9007199254740993;\n", "d.ts": "throw 9007199254740993;\n",
	}))
	for i, want := range []string{"a.ts:3:69: 9007", "b.js:2:11: 9007", "c.ts:1:19: 9007", "d.ts:1:1: threw 9007199254740992", "d.ts:1:7: 9007"} {
		if lines := strings.Split(got, "\n"); len(lines) != 5 || !strings.HasPrefix(lines[i], want) {
			t.Errorf("issue %d is not %q in\n%s", i, want, got)
		}
	}
}

// What a literal says and what a schema then holds are the same number, wherever it is not refused.
func TestDoubleOf(t *testing.T) {
	t.Parallel()
	testrand.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(0|[1-9][0-9]{0,22})(\.[0-9]{1,20})?(e[+-]?[0-9]{1,2})?`).Draw(t, "literal")
		exact, double, same := doubleOf(text)
		want, err := schema.ParseNumber(exact)
		if err != nil {
			t.Fatal(err)
		}
		got, err := schema.ParseNumber(strings.Replace(shown(double), "Infinity", "1e999", 1))
		if err != nil || same != (want.Cmp(got) == 0) {
			t.Errorf("%s becomes %s: %v, %v", text, shown(double), same, err)
		}
	})
	if _, double, same := doubleOf("1e309"); same || !math.IsInf(double, 1) {
		t.Errorf("1e309 is %v", double)
	}
}
