package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Path leads from the fields of an entry to a value in them, such as title.de or sections[2]; empty, it means all of them. Its
// text joins names with dots, and writes a name that is empty or has a dot, a bracket or a quotation mark as ["…"], in JSON.
type Path []Step

// Step leads to the member of an object, or to the item of an array.
type Step struct {
	// Name is that of the member.
	Name string
	// IsItem says that the step leads to an item, and Index to which, from 0.
	IsItem bool
	Index  int
}

// Member returns the path to a member of what p leads to. p stays as it is.
func (p Path) Member(name string) Path { return append(slices.Clip(p), Step{Name: name}) }

// String writes the path as ParsePath reads it. Names must be valid UTF-8, which they are in JSON.
func (p Path) String() string {
	var text []byte
	for i, s := range p {
		switch {
		case s.IsItem:
			text = append(strconv.AppendInt(append(text, '['), int64(s.Index), 10), ']')
		case s.Name == "" || strings.ContainsAny(s.Name, `.["`):
			text, _ = jsontext.AppendQuote(append(text, '['), s.Name) // fails for invalid UTF-8 alone, and quotes even that
			text = append(text, ']')
		case i > 0:
			text = append(append(text, '.'), s.Name...)
		default:
			text = append(text, s.Name...)
		}
	}
	return string(text)
}

// InEntry is the text of the path as it leads from an entry, of which the fields are a member: fields.title.
func (p Path) InEntry() string { return append(Path{{Name: "fields"}}, p...).String() }

// ParsePath reads what String writes. Each path has one text, so equal paths have equal texts; any other is refused.
func ParsePath(text string) (Path, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("the path %q is not valid UTF-8", text)
	}
	var p Path
	for rest := text; rest != ""; {
		var s Step
		var ok bool
		if s, rest, ok = cutStep(rest); !ok {
			return nil, fmt.Errorf("the path %q has an unfinished or unknown [", text)
		}
		p = append(p, s)
	}
	if canonical := p.String(); canonical != text {
		return nil, fmt.Errorf("the path %q must be written %q", text, canonical)
	}
	return p, nil
}

// cutStep reads one step, with a dot before a name or without.
func cutStep(text string) (s Step, rest string, ok bool) {
	if !strings.HasPrefix(text, "[") {
		text = strings.TrimPrefix(text, ".")
		end := strings.IndexAny(text, ".[")
		if end < 0 {
			end = len(text)
		}
		return Step{Name: text[:end]}, text[end:], true
	}
	text = text[1:]
	if !strings.HasPrefix(text, `"`) {
		digits, rest, found := strings.Cut(text, "]")
		n, err := strconv.Atoi(digits)
		return Step{IsItem: true, Index: n}, rest, found && err == nil && n >= 0
	}
	end := 1
	for end < len(text) && text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(text) {
		return s, "", false
	}
	name, err := jsontext.AppendUnquote(nil, text[:end+1])
	rest, found := strings.CutPrefix(text[end+1:], "]")
	return Step{Name: string(name)}, rest, found && err == nil
}

// HasPrefix reports whether p leads to the value of prefix or to one within it.
func (p Path) HasPrefix(prefix Path) bool {
	return len(p) >= len(prefix) && slices.Equal(p[:len(prefix)], prefix)
}

// Compare orders paths step by step: a path comes right before those within its value.
func (p Path) Compare(q Path) int {
	return slices.CompareFunc(p, q, func(a, b Step) int {
		switch {
		case a.IsItem && b.IsItem:
			return cmp.Compare(a.Index, b.Index)
		case a.IsItem != b.IsItem:
			if a.IsItem {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// MarshalText is String: in JSON a path is its text.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is ParsePath.
func (p *Path) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePath(string(text))
	return err
}
