package dsl

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"svc/shared/schema"
)

// numberLiteral finds what looks like a number literal. Whether it is one, and not a part of a text, a comment, a pattern
// or a type, the source map tells.
var numberLiteral = regexp.MustCompile(`0[xXoObB][0-9a-fA-F_]+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?`)

// inexactNumbers refuses the number literals of which JavaScript makes another number: numbers are exact wherever else
// they come from.
func (b *bundle) inexactNumbers(files []source) []Issue {
	var found []literal
	for _, f := range files {
		found = append(found, inexactOf(f)...)
	}
	if len(found) == 0 {
		return nil
	}
	numbers := b.spotsOf(func(m mapping) bool { _, is := b.numberAt(m); return is })
	members := b.enumMembers()
	var issues []Issue
	for _, l := range found {
		if len(issues) < maxIssues && (numbers.within(l.file, l.from, l.at) || members[l.double]) {
			issues = append(issues, Issue{
				File: l.file, Line: l.at.line + 1, Column: l.at.column + 1, Code: CodeValue, Message: l.message(),
			})
		}
	}
	return issues
}

// literal is a number literal of which JavaScript makes another number.
type literal struct {
	file string
	text string
	// exact is its value in decimal digits, with its sign; double is what is left of it, without.
	exact  string
	double float64
	// at is where it stands, from where its sign does, if it has one.
	at, from spot
}

func (l literal) message() string {
	if err := schema.CheckNumber(l.exact); err != nil {
		return shorten(l.text) + " cannot be taken: " + err.Error()
	}
	return fmt.Sprintf("%s is not a number that JavaScript can hold, which would make it %s; write exact(%q)", shorten(l.text), shown(l.double), l.exact)
}

// shown writes a number with its digits as far as people read them so.
func shown(double float64) string {
	if math.IsInf(double, 0) {
		return "Infinity"
	}
	if double >= 1e21 || double < 1e-6 {
		return strconv.FormatFloat(double, 'g', -1, 64)
	}
	return strconv.FormatFloat(double, 'f', -1, 64)
}

// inexactOf returns the literals of a file that are no numbers of JavaScript, and what only looks like one.
func inexactOf(f source) []literal {
	var found []literal
	text, lines := f.Text, linesOf{text: f.Text}
	for _, at := range numberLiteral.FindAllStringIndex(text, -1) {
		exact, double, same := doubleOf(text[at[0]:at[1]])
		if same {
			continue
		}
		l := literal{file: f.Path, text: text[at[0]:at[1]], exact: exact, double: double, at: lines.spot(at[0])}
		l.from = l.at
		if unsigned, negative := strings.CutSuffix(strings.TrimRight(text[:at[0]], " \t"), "-"); negative {
			l.from.column -= utf16Length(text[len(unsigned):at[0]])
			l.exact = "-" + exact
		}
		found = append(found, l)
	}
	return found
}

// doubleOf reports what JavaScript makes of a literal, and whether that is the same number where it is written in the
// fewest digits that mean it, as in JSON. exact is what the literal says.
func doubleOf(text string) (exact string, double float64, same bool) {
	exact = decimalOf(text)
	double, err := strconv.ParseFloat(exact, 64)
	if err != nil { // beyond all doubles
		return exact, math.Inf(1), false
	}
	want, err := schema.ParseNumber(exact)
	if err != nil {
		return exact, double, false
	}
	got, err := schema.ParseNumber(strconv.FormatFloat(double, 'g', -1, 64))
	return exact, double, err == nil && want.Cmp(got) == 0
}

// decimalOf writes a literal as JSON does.
func decimalOf(text string) string {
	text = strings.ReplaceAll(text, "_", "")
	if len(text) > 1 && text[0] == '0' && strings.ContainsRune("xXoObB", rune(text[1])) {
		if whole, ok := new(big.Int).SetString(text, 0); ok {
			return whole.String()
		}
		return text
	}
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole + exponent
}

// printedNumber is a number as the bundler writes it.
var printedNumber = regexp.MustCompile(`^\(?-?(Infinity|1 / 0|[0-9]*\.?[0-9]+(?:e-?[0-9]+)?)`)

// numberAt is the number, without its sign, that the bundle has where a mapping leads to.
func (b *bundle) numberAt(m mapping) (float64, bool) {
	found := printedNumber.FindStringSubmatch(b.from(m.line, m.column))
	if found == nil {
		return 0, false
	}
	double, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return math.Inf(1), true
	}
	return double, true
}

// enumMember is what the bundler puts behind a number that stands for the member of an enum, of which nothing else may
// be left.
var enumMember = regexp.MustCompile(`(` + printedNumber.String()[len(`^\(?-?`):] + `) /\* `)

// enumMembers are the numbers in the bundle that come from there.
func (b *bundle) enumMembers() map[float64]bool {
	members := map[float64]bool{}
	for _, line := range b.lines {
		for _, found := range enumMember.FindAllStringSubmatch(line, -1) {
			if double, err := strconv.ParseFloat(found[2], 64); err == nil {
				members[double] = true
			} else {
				members[math.Inf(1)] = true
			}
		}
	}
	return members
}
