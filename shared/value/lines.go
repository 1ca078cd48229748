package value

import "bytes"

// lines puts text together as a page shows it: white space is one space, and blocks stand on lines of their own.
type lines struct {
	b     bytes.Buffer
	gap   bool // white space comes before the next text
	ended bool // the next text starts a line
}

func (l *lines) String() string { return l.b.String() }

func (l *lines) space() { l.gap = true }

func (l *lines) end() { l.ended = true }

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
