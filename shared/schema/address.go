package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"svc/shared/fault"
)

// maxPath bounds an address template, in characters.
const maxPath = 1000

// PathItems finds what keeps the address template from being the path of a page, with the path "path". It says nothing
// of what Parse refuses already. Deployed collections may have such a template from before it was looked at, and are
// read all the same.
//
// A template is a path of RFC 3986, in which letters of every script stand for themselves as in RFC 3987: segments
// after single slashes, of which the last may be empty, none of them "." or ".."; no query and no fragment. Between
// braces stand slug, id, locale, or the key of a top-level field whose value is one word of a path (see
// Field.Filterable).
func (c *Collection) PathItems() []fault.Item {
	if c.Path == "" {
		return nil
	}
	var items []fault.Item
	add := func(code Code, format string, args ...any) {
		items = append(items, fault.Item{Path: "path", Code: string(code), Message: fmt.Sprintf(format, args...)})
	}
	if reason := pathReason(c.Path); reason != "" {
		add(CodePattern, "%s", reason)
	}
	for _, name := range pathNames(c.Path) {
		f := c.Field(name)
		if f == nil || isPathWord(c, name) || f.Filterable() || !slices.Contains(FieldTypes(), f.Type) {
			continue
		}
		kind := string(f.Type)
		if f.Multiple {
			kind += " with several values"
		}
		add(CodeNotAllowed, "names {%s}, but a field of type %s has no value that can stand in a path; {slug}, {id}, {locale} "+
			"and fields of one text, number, boolean, date, datetime, reference or asset can", Show(name), kind)
	}
	return items
}

// isPathWord tells the names in a template that are no fields. A singleton has no slug, but may have a field of that
// key.
func isPathWord(c *Collection, name string) bool {
	return name == "id" || name == "locale" || name == "slug" && c.Kind != KindSingleton
}

// pathReason says why a template cannot be the path of a page, or nothing.
func pathReason(template string) string {
	const right = ", such as /blog/{slug}"
	path, closed := withoutNames(template)
	switch {
	case !closed:
		return "has braces that do not hold a name; a name stands between { and }" + right
	case utf8.RuneCountInString(template) > maxPath:
		return fmt.Sprintf("must have at most %d characters; it has %d", maxPath, utf8.RuneCountInString(template))
	case strings.HasPrefix(path, "//"):
		return "starts with two slashes, which leads to another host; start with one" + right
	case strings.Contains(path, "//"):
		return "has an empty segment: write one slash, not two" + right
	case strings.ContainsAny(path, "?#"):
		return "holds ? or #, where a query or a fragment begins; a path has neither" + right
	case strings.Contains(path, `\`):
		return "holds a backslash; segments stand after slashes" + right
	}
	for _, r := range path {
		if !isPathRune(r) {
			return fmt.Sprintf("holds %s, which no path has; write it as UTF-8 after percent signs (a space is %%20), or leave it out", Quote(string(r)))
		}
	}
	for segment := range strings.SplitSeq(path, "/") {
		if reason := segmentReason(segment); reason != "" {
			return reason
		}
	}
	return ""
}

// segmentReason says why a segment cannot stand in a path, or nothing.
func segmentReason(segment string) string {
	said, err := url.PathUnescape(segment)
	switch {
	case err != nil:
		return "holds a percent sign without two hexadecimal digits after it; the sign itself is written %25"
	case said == "." || said == "..":
		return fmt.Sprintf("has the segment %s, which browsers take out of the path; write the path that is meant", Quote(segment))
	case !utf8.ValidString(said):
		return fmt.Sprintf("has the segment %s, whose percent signs do not write UTF-8", Quote(segment))
	case said != segment && (strings.ContainsAny(said, `/\`) || !IsVisible(said)):
		return fmt.Sprintf("has the segment %s, which hides a slash, a backslash or a character that cannot be seen", Quote(segment))
	}
	return ""
}

// isPathRune tells the characters of a path: those of RFC 3986, and every other one outside of ASCII that can be seen.
func isPathRune(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
		return true
	case r < utf8.RuneSelf:
		return strings.ContainsRune("-._~!$&'()*+,;=:@%/", r)
	}
	return isVisible(r)
}

// withoutNames puts a letter in place of every name in braces; false where a brace has no partner or holds none.
func withoutNames(template string) (string, bool) {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(template, "{")
		b.WriteString(before)
		if strings.Contains(before, "}") {
			return "", false
		}
		if !open {
			return b.String(), true
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || name == "" || strings.Contains(name, "{") {
			return "", false
		}
		b.WriteByte('x')
		template = after
	}
}

// pathNames returns the names in braces of a path template, such as "slug".
func pathNames(path string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(path, "{")
		if !found {
			return names
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return append(names, rest)
		}
		names, path = append(names, name), after
	}
}
