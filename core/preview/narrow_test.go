package preview

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/query"
	"svc/shared/schema"
	"svc/shared/value"
)

func bound(t *testing.T, raw string) query.Conditions {
	t.Helper()
	c, err := schema.Parse([]byte(`{"name":"posts","fields":{"text":{"type":"text","localized":true},"number":{"type":"number"},"flag":{"type":"boolean"},"day":{"type":"date"},"at":{"type":"datetime"},"author":{"type":"reference","to":"people"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.Parse(query.RouteList, raw)
	if err != nil {
		t.Fatal(err)
	}
	conditions, _, err := query.Bind(c, value.Locales{Codes: []string{"en"}, Default: "en"}, "", q.Filters, q.Order)
	if err != nil {
		t.Fatal(err)
	}
	return conditions
}

func TestWhatSQLNarrows(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][]string{
		"filter[text]=a":                                {`"text":`, `"a"`},
		`filter[text]=a"b\`:                             {`"text":`, `"a\"b\\"`},
		"filter[text][in]=b,a":                          {`"text":`, `["a" "b"]`},
		"filter[text][in]=a,b,c,d,e,f,g,h,i,j,k":        {`"text":`},
		"filter[day]=2024-02-29":                        {`"day":`, `"2024-02-29"`},
		"filter[text][ne]=a":                            nil,
		"filter[text][exists]=false":                    nil,
		"filter[text][exists]=true":                     {`"text":`},
		"filter[text][gt]=a":                            {`"text":`},
		"filter[number]=1":                              {`"number":`},
		"filter[number][in]=1,2":                        {`"number":`},
		"filter[flag]=true":                             {`"flag":`},
		"filter[at]=2024-02-29T00:00:00Z":               {`"at":`},
		"filter[author]=ent_01h455vb4pex5vsknk084sn02q": {`"author":`, `"ent_01h455vb4pex5vsknk084sn02q"`},
	} {
		conditions := bound(t, raw)
		n := newNarrow(&conditions, "posts", int64(7))
		var got []string
		for _, arg := range n.args[2:] {
			got = append(got, fmt.Sprint(arg))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") || strings.Count(n.sql.String(), "strpos") != len(want) {
			t.Errorf("%s looks for %q, want %q: %s", raw, got, want, n.sql.String())
		}
		for i := range want {
			if !strings.Contains(n.sql.String(), fmt.Sprintf("$%d", 4+i)) {
				t.Errorf("%s does not take parameter %d: %s", raw, 4+i, n.sql.String())
			}
		}
	}
}

// TestTextsAreStoredInOneForm: a text that is looked for is quoted as the intake of entries writes it, every character.
func TestTextsAreStoredInOneForm(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for r := rune(1); r <= 0x10ffff; r++ {
		if r >= 0xd800 && r < 0xe000 || r >= 0x3000 && r < 0x1f000 && r%7 != 0 || r > 0x20000 && r%97 != 0 {
			continue
		}
		all.WriteRune(r)
	}
	var escaped strings.Builder
	escaped.WriteByte('"')
	for _, r := range all.String() {
		switch {
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&escaped, `\u%04X\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&escaped, `\u%04X`, r)
		}
	}
	escaped.WriteByte('"')
	stored, err := value.Intake([]byte(escaped.String()), "text")
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := jsontext.AppendQuote(nil, all.String())
	if err != nil || string(quoted) != string(stored) {
		t.Errorf("a text is stored otherwise than it is looked for, %v", err)
	}
}
