package dsl

import (
	"fmt"
	"regexp"

	"svc/shared/schema"
)

// slashed is a pattern that is written like one of JavaScript, such as "/^a$/i".
var slashed = regexp.MustCompile(`(?s)^/(.+)/[dguvy]*([ims]*)[dguvy]*$`)

// warnOfSlashes warns of patterns between slashes, which fit only texts that hold these slashes.
func (s *Set) warnOfSlashes(d Declared, path string, fields ...*schema.Field) {
	for _, f := range fields {
		at := join(path, f.Key)
		if found := slashed.FindStringSubmatch(f.Pattern); found != nil {
			pattern := found[1]
			if found[2] != "" {
				pattern = "(?" + found[2] + ")" + pattern
			}
			issue := d.at(join(at, "pattern"))
			issue.Code = Code(schema.CodePattern)
			issue.Message = fmt.Sprintf("is written between slashes, as in JavaScript, and fits only texts that hold these slashes; if that is not meant, write %s",
				schema.Quote(pattern))
			s.Warnings = append(s.Warnings, issue)
		}
		if f.Of != nil {
			item := *f.Of
			item.Key = "of"
			s.warnOfSlashes(d, at, &item)
		}
		s.warnOfSlashes(d, join(at, "fields"), f.Fields...)
		for i, b := range f.Blocks {
			s.warnOfSlashes(d, fmt.Sprintf("%s.allowed[%d].fields", at, i), b.Fields...)
		}
	}
}
