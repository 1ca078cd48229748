package preview

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/query"
	"svc/shared/value"
)

// narrow writes what every matching row fulfils as SQL over the revision r, each part after an AND, so that the others are not
// sent. It looks for texts in the stored fields: those are canonical JSON, in which a field has one name and a text one
// form, whatever schema and locale they are read under. Whether a row matches is not decided here.
type narrow struct {
	sql  strings.Builder
	args []any
}

// newNarrow numbers its parameters after the first ones.
func newNarrow(c *query.Conditions, first ...any) *narrow {
	n := &narrow{args: first}
	for _, condition := range c.All() {
		n.add(&condition)
	}
	return n
}

func (n *narrow) add(c *query.Condition) {
	if c.Op == query.OpNotEqual || c.Op == query.OpExists && !c.Exists {
		return // rows without the field match
	}
	n.has(`"` + c.Field.Key + `":`)
	if c.Op != query.OpEqual && c.Op != query.OpIn || !hasOneForm(c) || len(c.Keys) > mostTexts {
		return
	}
	texts := make([]string, len(c.Keys))
	for i, key := range c.Keys { // the keys of texts and dates are what is written
		quoted, err := jsontext.AppendQuote(nil, string(key))
		if err != nil {
			return // no stored text is like that, and looking at all is right too
		}
		texts[i] = string(quoted)
	}
	if len(texts) == 1 {
		n.has(texts[0])
		return
	}
	fmt.Fprintf(&n.sql, ` AND EXISTS (SELECT FROM unnest($%d::text[]) one WHERE strpos(r.fields, one) > 0)`, n.arg(texts))
}

// mostTexts is how many texts PostgreSQL looks for in a row: for more of them, that takes longer than to send the row.
const mostTexts = 10

// hasOneForm reports whether equal values of the field are written alike; numbers and instants are not.
func hasOneForm(c *query.Condition) bool {
	class := value.ClassOf(c.Field)
	return class == value.ClassText || class == value.ClassDate
}

func (n *narrow) has(text string) {
	fmt.Fprintf(&n.sql, ` AND strpos(r.fields, $%d) > 0`, n.arg(text))
}

// arg adds a parameter and returns its number; $1 is the project.
func (n *narrow) arg(a any) int {
	n.args = append(n.args, a)
	return len(n.args) + 1
}
