package typescript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// union joins types, one a line below the indentation where they do not fit on one.
func union(types []string, indent string) string {
	line := strings.Join(types, " | ")
	if len(types) == 1 || utf8.RuneCountInString(line)+len(indent) <= width*2/3 {
		return line
	}
	inner := "\n" + indent + indentation + "| "
	return inner + strings.Join(types, inner)
}

// arrayOf is the type of arrays of a type.
func arrayOf(t string) string {
	if strings.ContainsAny(t, "|&\n") {
		return "Array<" + t + ">"
	}
	return t + "[]"
}

// comment is a documentation comment of a title and what else there is to say; nothing where both are empty.
func comment(indent, title, more string) string {
	text := strings.TrimSpace(title)
	if more = strings.TrimSpace(more); more != "" && more != text {
		if text != "" {
			text = sentence(text) + " "
		}
		text += more
	}
	if text == "" {
		return ""
	}
	lines := wrap(visible(text), width-len(indent)-len(" * "))
	if len(lines) == 1 && len(indent)+len("/**  */")+utf8.RuneCountInString(lines[0]) <= width {
		return indent + "/** " + lines[0] + " */\n"
	}
	var b strings.Builder
	b.WriteString(indent + "/**\n")
	for _, line := range lines {
		b.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
	}
	b.WriteString(indent + " */\n")
	return b.String()
}

// sentence ends a text with a full stop, unless it ends with a mark.
func sentence(text string) string {
	if last, _ := utf8.DecodeLastRuneInString(text); unicode.IsPunct(last) {
		return text
	}
	return text + "."
}

// visible is a text as it can stand in a comment: nothing ends it, nothing is hidden in it.
func visible(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || unicode.IsPrint(r) || r == zeroWidthJoiner || r == zeroWidthNonJoiner:
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, text)
	return strings.ReplaceAll(text, "*/", "* /")
}

// wrap breaks a text between words into lines of about this many characters.
func wrap(text string, most int) []string {
	var lines []string
	for _, paragraph := range strings.Split(text, "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			switch {
			case line == "":
				line = word
			case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > most:
				lines, line = append(lines, line), word
			default:
				line += " " + word
			}
		}
		lines = append(lines, line)
	}
	return lines
}
