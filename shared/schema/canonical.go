package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// hashPrefix names the form that is hashed. It changes when the canonical form of an existing schema would, and
// never otherwise: hashes name stored versions.
const hashPrefix = "svc.schema.collection.v1\n"

// Canonical returns the canonical JSON of the collection, compact: options in a fixed order, those with their
// default left out, fields in their own order. Files of equal meaning give equal bytes, and Parse reads them back.
func (c *Collection) Canonical() []byte { return c.appendJSON(nil, true) }

// Hash names the meaning of the collection: SHA-256, in hex, over its canonical JSON without the collection's
// label, since a changed label makes no new version. Labels of fields and blocks are part of it.
func (c *Collection) Hash() string {
	sum := sha256.Sum256(c.appendJSON([]byte(hashPrefix), false))
	return hex.EncodeToString(sum[:])
}

func (c *Collection) appendJSON(dst []byte, withLabel bool) []byte {
	w := writer{dst: append(dst, '{')}
	w.text("name", c.Name)
	if withLabel && c.Label != c.Name {
		w.text("label", c.Label)
	}
	if c.Kind != KindCollection {
		w.text("kind", string(c.Kind))
	}
	if c.Visibility != VisibilityPrivate {
		w.text("visibility", string(c.Visibility))
	}
	w.text("titleField", c.TitleField)
	w.text("path", c.Path)
	w.text("guidance", c.Guidance)
	if len(c.Policy) > 0 {
		w.list("policy", len(c.Policy), func(i int) { w.rule(c.Policy[i]) })
	}
	w.key("fields")
	w.fields(c.Fields, c)
	return append(w.dst, '}')
}

// writer appends members to an object. It needs a comma unless the object has just been opened.
type writer struct{ dst []byte }

func (w *writer) key(key string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(append(append(w.dst, '"'), key...), '"', ':')
}

// text writes a string, and nothing where it is empty: no option distinguishes the two.
func (w *writer) text(key, s string) {
	if s != "" {
		w.key(key)
		w.dst = appendString(w.dst, s)
	}
}

func (w *writer) flag(key string, b bool) {
	if b {
		w.key(key)
		w.dst = append(w.dst, "true"...)
	}
}

func (w *writer) count(key string, n *int) {
	if n != nil {
		w.key(key)
		w.dst = strconv.AppendInt(w.dst, int64(*n), 10)
	}
}

func (w *writer) raw(key string, raw jsontext.Value) {
	if len(raw) > 0 {
		w.key(key)
		w.dst = append(w.dst, raw...)
	}
}

func (w *writer) texts(key string, texts []string) {
	if len(texts) > 0 {
		w.list(key, len(texts), func(i int) { w.dst = appendString(w.dst, texts[i]) })
	}
}

func (w *writer) list(key string, n int, item func(int)) {
	w.key(key)
	w.dst = append(w.dst, '[')
	for i := range n {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		item(i)
	}
	w.dst = append(w.dst, ']')
}

func (w *writer) rule(r Rule) {
	w.dst = append(w.dst, '{')
	w.text("rule", string(r.Kind))
	w.text("field", r.Field)
	w.texts("terms", r.Terms)
	w.texts("fields", r.Fields)
	w.count("min", r.Min)
	w.count("max", r.Max)
	w.flag("words", r.Words)
	w.text("reason", r.Reason)
	w.dst = append(w.dst, '}')
}
