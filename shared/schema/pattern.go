package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"
)

// maxPatternSize bounds a pattern, in steps of its program: matching time grows with it.
const maxPatternSize = 20_000

// maxPatternSizes bounds the patterns of a set together: each step takes memory wherever the set is in force.
const maxPatternSizes = 200_000

// compile reads a pattern. RE2 has no look-around and no back-references; those are refused with the reason.
func (p *parser) compile(path, pattern string) *regexp.Regexp {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		p.fault(path, CodePattern, "%s", patternReason(err))
		return nil
	}
	steps := patternSize(parsed)
	if p.patterns += steps; p.proposed && p.patterns > maxPatternSizes {
		p.fault(path, CodeTooMany, "is one pattern too many: together those of a set may expand to %d steps", maxPatternSizes)
		return nil
	}
	if steps > maxPatternSize {
		p.fault(path, CodePattern, "is too large: its repetitions expand to more than %d steps; repeat less often, or bound the length with maxLength", maxPatternSize)
		return nil
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		p.fault(path, CodePattern, "%s", patternReason(err))
		return nil
	}
	return compiled
}

// patternReason says why an expression is refused, and what RE2 does not have of other engines.
func patternReason(err error) string {
	var at *syntax.Error
	if !errors.As(err, &at) {
		return "is not an RE2 pattern"
	}
	switch at.Code {
	case syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth:
		return "repeats or nests too much for RE2 at " + Show(at.Expr) + ": it repeats at most 1000 times, and where one repetition stands in " +
			"another their counts multiply; use smaller counts, or + or * and bound the length with maxLength"
	}
	return "is not an RE2 pattern, which has no back-references, look-ahead or look-behind: " + at.Code.String() + ": " + Show(at.Expr)
}

// patternSize is about how many instructions a pattern compiles to, known before it is compiled.
func patternSize(re *syntax.Regexp) int {
	size := 1
	if re.Op == syntax.OpLiteral {
		size = len(re.Rune)
	}
	for _, sub := range re.Sub {
		size += patternSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min+1, re.Max)
	}
	return min(size, maxPatternSize+1)
}
