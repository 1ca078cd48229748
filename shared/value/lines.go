package value

import "bytes"

// lines puts text together as a page shows it: white space is one space, and blocks stand on lines of their own.
type lines struct {
	b     bytes.Buffer
	gap   bool // white space comes before the next text
	ended bool // the next text starts a line
	// each, where it is set, gets the text of each block and table cell when it ends; err is the error that it returned.
	each func(text string) error
	err  error
}

func (l *lines) String() string { return l.b.String() }

func (l *lines) space() { l.gap = true }

// line ends a line inside of a block.
func (l *lines) line() {
	if l.each != nil {
		l.gap = true
	} else {
		l.ended = true
	}
}

// cell ends a table cell. Those of a row share a line.
func (l *lines) cell() {
	if l.each != nil {
		l.end()
	} else {
		l.gap = true
	}
}

// end ends a block.
func (l *lines) end() {
	if l.each == nil {
		l.ended = true
		return
	}
	if l.b.Len() > 0 && l.err == nil {
		l.err = l.each(l.b.String())
	}
	l.b.Reset()
	l.gap = false
}

func (l *lines) add(text []byte) {
	for len(text) > 0 {
		n := bytes.IndexAny(text, whiteSpace)
		switch n {
		case 0:
			l.gap = true
			text = text[1:]
			continue
		case -1:
			n = len(text)
		}
		l.verbatim(text[:n])
		text = text[n:]
	}
}

// whiteSpace is what pages collapse; a no-break space is not among it.
const whiteSpace = " \t\n\r\f"

// verbatim appends text with its white space, but for the line breaks at its end.
func (l *lines) verbatim(text []byte) {
	if text = bytes.TrimRight(text, "\n"); len(text) == 0 {
		return
	}
	if l.b.Len() > 0 && l.ended {
		l.b.WriteByte('\n')
	} else if l.b.Len() > 0 && l.gap {
		l.b.WriteByte(' ')
	}
	l.gap, l.ended = false, false
	l.b.Write(text)
}
