package render

import (
	_ "embed"
	"strconv"
	"strings"
	"unicode"
)

// reserved are the names that scripts know documents, windows and forms by, as far as an id could be one: an element with
// such an id would stand in for what a script asks for.
//
//go:embed reserved.txt
var reservedText string

var reserved = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(reservedText) {
		names[name] = true
	}
	return names
}()

// id makes an id of the text of a heading: its letters, digits, "-" and "_" in lower case, "-" for spaces. It is "section"
// where nothing is left, and gets a number where it is taken or reserved.
func (p *Page) id(text string) string {
	base := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return '-'
		case r == '-', r == '_', unicode.In(r, unicode.L, unicode.M, unicode.N):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(text))
	if strings.Trim(base, "-_") == "" {
		base = "section"
	}
	if p.ids == nil {
		p.ids = map[string]bool{}
	}
	id := base
	for n := 1; p.ids[id] || reserved[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	p.ids[id] = true
	return id
}
