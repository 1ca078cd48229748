package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
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

// patternReason says why an expression is refused, and what is right where the expression means something that RE2
// does not have.
func patternReason(err error) string {
	var at *syntax.Error
	if !errors.As(err, &at) {
		return "is not an RE2 pattern"
	}
	switch at.Code {
	case syntax.ErrInvalidRepeatSize:
		return "repeats too often at " + Show(at.Expr) + ": RE2 repeats at most 1000 times, and where one repetition stands in " +
			"another their counts multiply; use smaller counts, or + or * and bound the length with maxLength"
	case syntax.ErrLarge:
		return "is too large for RE2: repeat less often, or bound the length with maxLength"
	case syntax.ErrNestingDepth:
		return "nests its groups too deeply: RE2 takes 1000 in one another"
	}
	return "is not an RE2 pattern: " + at.Code.String() + ": " + Show(at.Expr) + lacking(at)
}

// lacking names what RE2 does not have and other engines do.
func lacking(at *syntax.Error) string {
	rest, escape := strings.CutPrefix(at.Expr, `\`)
	switch {
	case escape && rest != "" && (rest[0] >= '1' && rest[0] <= '9' || rest[0] == 'k'):
		return " (RE2 has no back-references)"
	case strings.HasPrefix(at.Expr, "(?=") || strings.HasPrefix(at.Expr, "(?!"),
		strings.HasPrefix(at.Expr, "(?<=") || strings.HasPrefix(at.Expr, "(?<!"):
		return " (RE2 has no look-ahead and no look-behind)"
	case strings.HasPrefix(at.Expr, "(?>"), at.Code == syntax.ErrInvalidRepeatOp && strings.HasSuffix(at.Expr, "+"):
		return " (RE2 has no atomic groups and no possessive repetitions)"
	}
	return ""
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
