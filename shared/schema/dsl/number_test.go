package dsl

import (
	"strings"
	"testing"
)

// numberFile is a file with an expression as the default of a json field, and others before it.
func numberFile(before, expression string) string {
	return "import { collection, exact, json } from \"svc/schema\";\n" + before +
		"\nexport default collection({ name: \"a\", fields: { x: json({ default: " + expression + " }) } });\n"
}

// A whole number means what it says, or it is refused with the path of it. What is left of a decimal is what JavaScript holds.
func TestWholeNumbersAreExactOrRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, text string
		says         string // "" where all is well
	}{
		{text: "9007199254740993", says: "a.ts:3:53: fields.x.default is about 9007199254740992: JavaScript holds no whole number beyond 9007199254740991 exactly; write it in quotes, as in exact(\"9007199254740993\")"},
		{text: "[1, -9007199254740993]", says: "a.ts:3:53: fields.x.default[1] is about -9007199254740992"},
		{text: "0xfffffffffffffff1", says: "is about 18446744073709552000"},
		{text: "1e21", says: "is about 1e+21"},
		{before: "enum Big { A = 9007199254740993 }", text: "Big.A", says: "fields.x.default is about"},
		{before: "const x = [1e400];", text: "x", says: "fields.x.default[0] is Infinity, which is no number a schema can hold"},
		{text: "{ 9007199254740993: 1 }"},
		{text: "exact(\"9007199254740993\")"},
		{text: "[9007199254740991, -9007199254740991, 0.1, 5e-324, 1.10, 0x10, 1_000, 0b11, 0o17]"},
		{before: "// 9007199254740993\nconst p = /9007199254740993/.source + `9007199254740993`;", text: "p"},
	} {
		dir := folderOf(t, map[string]string{"a.ts": numberFile(c.before, c.text)})
		_, err := Load(t.Context(), dir, Options{})
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s\n%s ends in %v", c.before, c.text, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s\n%s ends in %v, want %s", c.before, c.text, err, c.says)
		}
	}
}
