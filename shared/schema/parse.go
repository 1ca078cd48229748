package schema

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
)

// The limits of one schema. MaxFields counts the fields of one collection, object or block, MaxTerms the terms of one
// bannedTerms rule.
const (
	MaxFields    = 500
	MaxRules     = 100
	MaxTerms     = 1000
	MaxKeyLength = 64
	maxFaults    = 200
)

// MaxSetBytes is how large a set of schemas may be that is pushed or compared: the whole request with it, as JSON.
const MaxSetBytes = 1 << 20

// parser collects what is wrong, so that a file's author sees everything at once.
type parser struct {
	items []fault.Item
	more  int // faults beyond maxFaults
	// targets are the references met, for the check across a set.
	targets  []target
	splitter splitter
	// proposed is a set that shall be put in force: it is held to more than what was in force once.
	proposed bool
	patterns int // steps of the patterns so far
}

type target struct {
	path, to string
}

func (p *parser) fault(path string, code Code, format string, args ...any) {
	if len(p.items) >= maxFaults {
		p.more++
		return
	}
	p.items = append(p.items, fault.Item{Path: path, Code: string(code), Message: fmt.Sprintf(format, args...)})
}

// err returns the faults as one, or nil where there are none.
func (p *parser) err() error {
	if len(p.items) == 0 {
		return nil
	}
	n := len(p.items) + p.more
	detail := p.items[0].String()
	if n > 1 {
		detail = fmt.Sprintf("the schema has %d faults; the first: %s", n, detail)
	}
	return &fault.Error{Code: fault.ValidationFailed, Detail: detail, Items: p.items}
}

// Parse reads the JSON of one collection and checks all that can be checked without the rest of its set. What was
// deployed once it always reads: what is refused beyond that only ParseProposed and ParseSet refuse. Options
// may stand in any order and defaults may be spelled out; the order of fields is kept. Everything wrong is
// reported at once: a *fault.Error with code VALIDATION_FAILED, whose items name the path, such as
// "fields.title.maxLenght", and one of Codes.
func Parse(data []byte) (*Collection, error) { return parse(data, false) }

// ParseProposed is Parse for a collection that shall be put in force. It refuses all that ParseSet refuses and that
// the collection alone can tell.
func ParseProposed(data []byte) (*Collection, error) { return parse(data, true) }

func parse(data []byte, proposed bool) (*Collection, error) {
	p := &parser{proposed: proposed}
	n, err := p.readNode(data, "")
	if err != nil {
		return nil, err
	}
	c := p.collection(n)
	if err := p.err(); err != nil {
		return nil, err
	}
	c.memory = memoryOf(len(data), p.patterns)
	return c, nil
}

// ParseSet reads a whole set of collections, as a push carries it. Beyond what Parse checks, names must be
// distinct, every reference must lead to a collection of the set, the path must be that of a page, the patterns of all together
// are bounded, and a field whose enum or bounds exclude every value is refused. Paths start with "collections[i]".
func ParseSet(files []jsontext.Value) ([]*Collection, error) {
	p := &parser{proposed: true}
	set, names := make([]*Collection, 0, len(files)), map[string]bool{}
	for i, data := range files {
		path := index("collections", i)
		n, err := p.readNode(data, path)
		if err != nil {
			for _, item := range fault.As(err).Items {
				p.fault(item.Path, Code(item.Code), "%s", item.Message)
			}
			continue
		}
		c := p.collection(n)
		if c == nil || c.Name == "" {
			continue
		}
		if names[c.Name] {
			p.fault(join(path, "name"), CodeDuplicate, "another collection of the set has this name")
		}
		names[c.Name] = true
		set = append(set, c)
	}
	for _, t := range p.targets {
		if !names[t.to] {
			p.fault(t.path, CodeUnknownTarget, "there is no collection %s in the set", Quote(t.to))
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return set, nil
}

// IsName reports whether s can be the name of a collection (interface, "Collection options"): lower-case letters, digits and
// underscores, a letter first, at most MaxKeyLength.
func IsName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || i > 0 && (c >= '0' && c <= '9' || c == '_')) {
			return false
		}
	}
	return s != "" && len(s) <= MaxKeyLength
}

// isKey reports whether s can be the key of a field or a block: letters, digits and underscores, a letter first.
func isKey(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if !(c >= 'a' && c <= 'z' || i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '_')) {
			return false
		}
	}
	return s != "" && len(s) <= MaxKeyLength
}
