package schema

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxPath bounds an address template, in characters.
const maxPath = 1000

// checkPath checks the address template. Deployed collections may have one from before all of it was looked at, and are read
// all the same.
//
// A template is a path of RFC 3986, in which letters of every script stand for themselves as in RFC 3987: segments
// after single slashes, of which the last may be empty, none of them "." or ".."; no query and no fragment. Between
// braces stand slug, id, locale, or the key of a top-level field whose value is one word of a path (see
// Field.Filterable).
func (p *parser) checkPath(o *options, c *Collection) {
	if c.Path == "" {
		return
	}
	path := o.path("path")
	switch reason := pathReason(c.Path); {
	case c.Path[0] != '/':
		p.fault(path, CodePattern, "must start with a slash, such as /blog/{slug}")
		return
	case strings.Count(c.Path, "{") != strings.Count(c.Path, "}"):
		p.fault(path, CodePattern, "has a brace without its partner")
		return
	case p.proposed && reason != "":
		p.fault(path, CodePattern, "%s; write it like /blog/{slug}", reason)
		return
	}
	for _, found := range namesInPath.FindAllStringSubmatch(c.Path, -1) {
		name := found[1]
		f := c.Field(name)
		switch {
		case name == "slug" && c.Kind == KindSingleton && f == nil:
			p.fault(path, CodeNotAllowed, "names {slug}, but a singleton has no slug")
		case name == "id" || name == "locale" || name == "slug" && c.Kind != KindSingleton:
		case f == nil:
			p.fault(path, CodeUnknownField, "names %s between braces, but there is no field of that key", Quote(name))
		case p.proposed && !f.Filterable() && slices.Contains(FieldTypes(), f.Type):
			p.fault(path, CodeNotAllowed, "names {%s}, but a field of type %s has no value that can stand in a path; {slug}, {id}, {locale} "+
				"and fields of one text, number, boolean, date, datetime, reference or asset can", Show(name), f.Type)
		}
	}
}

var (
	namesInPath = regexp.MustCompile(`\{([^{}]+)\}`)
	// pathSegments are the characters of RFC 3986 in a path, and all outside of ASCII.
	pathSegments = regexp.MustCompile(`^(/([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}|[^\x00-\x7F])+)*/?$`)
)

// pathReason says what a template must be that cannot be the path of a page; "" where it can.
func pathReason(template string) string {
	path := namesInPath.ReplaceAllString(template, "x")
	said, err := url.PathUnescape(path)
	dots := slices.ContainsFunc(strings.Split(said, "/"), func(segment string) bool { return segment == "." || segment == ".." })
	switch {
	case utf8.RuneCountInString(template) > maxPath:
		return fmt.Sprintf("must have at most %d characters", maxPath)
	case strings.Contains(path, "//"):
		return "must have one slash before each segment, for two lead to another host or are empty segments"
	case !pathSegments.MatchString(path) || err != nil:
		return "must be a path without query, fragment and backslash, in characters of a URL or with percent signs (a space is %20, the sign itself %25)"
	case dots:
		return `must have no segment "." or "..", which browsers take out of a path`
	case !IsVisible(said) || strings.Count(said, "/") != strings.Count(path, "/") || strings.Contains(said, `\`):
		return "must not hide a slash, a backslash or a character that cannot be seen"
	}
	return ""
}
