package typescript

import (
	"strings"
	"unicode/utf8"
)

// width is the column that lines end before, where they can be broken at all.
const width = 100

const indentation = "  "

// expr is an expression that knows how to break: text alone, or items between an opening and a closing text.
type expr struct {
	// key is what stands before the expression, such as "fields: ".
	key string
	// text is the whole expression, or what opens its items.
	text string
	// close ends the items; it is empty where there are none.
	close string
	items []expr
	// pad puts a space inside the brackets while all is on one line.
	pad bool
	// broken expressions always have an item a line.
	broken bool
	// uses is the name that the expression needs to be imported.
	uses string
}

func leaf(text string) expr { return expr{text: text} }

// named is e as the value of a member.
func (e expr) named(key string) expr {
	e.key = key + ": "
	return e
}

// object is an object literal of members.
func object(members []expr) expr { return braces("{", members, "}") }

func braces(open string, members []expr, close string) expr {
	if len(members) == 0 {
		return leaf(open + close)
	}
	return expr{text: open, items: members, close: close, pad: true}
}

func array(items []expr) expr {
	if len(items) == 0 {
		return leaf("[]")
	}
	return expr{text: "[", items: items, close: "]"}
}

// call is a call of an imported function, or of a function of an imported object such as item.text. Its options come
// last; without any the parentheses are empty or hold args alone.
func call(name string, args []expr, options []expr) expr {
	e := callOf(name, args, options)
	e.uses, _, _ = strings.Cut(name, ".")
	return e
}

func callOf(name string, args []expr, options []expr) expr {
	open, fits := name+"(", true
	for i, arg := range args {
		if i > 0 {
			open += ", "
		}
		flat, ok := arg.flat()
		open, fits = open+flat, fits && ok
	}
	switch {
	case len(args) > 0 && (!fits || utf8.RuneCountInString(open) > width*2/3):
		if len(options) > 0 {
			args = append(args[:len(args):len(args)], object(options))
		}
		return expr{text: name + "(", items: args, close: ")"}
	case len(options) == 0:
		return leaf(open + ")")
	case len(args) > 0:
		open += ", "
	}
	return braces(open+"{", options, "})")
}

// imports collects the names that e needs.
func (e expr) imports(names map[string]bool) {
	if e.uses != "" {
		names[e.uses] = true
	}
	for _, item := range e.items {
		item.imports(names)
	}
}

// flat is e on one line, unless something in it must be broken.
func (e expr) flat() (string, bool) {
	switch {
	case e.broken:
		return "", false
	case len(e.items) == 0:
		return e.key + e.text, true
	}
	var b strings.Builder
	b.WriteString(e.key + e.text)
	if e.pad {
		b.WriteByte(' ')
	}
	for i, item := range e.items {
		text, ok := item.flat()
		if !ok {
			return "", false
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(text)
	}
	if e.pad {
		b.WriteByte(' ')
	}
	b.WriteString(e.close)
	return b.String(), true
}

// write writes e at an indentation, where before columns of the line are taken and after follow it.
func (e expr) write(b *strings.Builder, indent string, before, after int) {
	if flat, ok := e.flat(); ok && (len(e.items) == 0 || before+utf8.RuneCountInString(flat)+after <= width) {
		b.WriteString(flat)
		return
	}
	b.WriteString(e.key + e.text + "\n")
	inner := indent + indentation
	for _, item := range e.items {
		b.WriteString(inner)
		item.write(b, inner, len(inner), 1)
		b.WriteString(",\n")
	}
	b.WriteString(indent + e.close)
}
