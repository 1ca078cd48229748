package schema

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
)

// Breach is one way in which a value does not fit its field.
type Breach struct {
	Code    Code
	Message string
}

func breach(code Code, format string, args ...any) Breach {
	return Breach{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Fit checks one scalar against the field, and reports every breach. raw is compact, valid JSON and not null. For
// references and assets it is one id. Fields of type list, object, richText and blocks are not scalars: Fit has
// nothing to say about them, nor about json.
func (f *Field) Fit(raw jsontext.Value) []Breach {
	switch f.Type {
	case TypeText, TypeMarkdown, TypeDate, TypeDatetime, TypeSlug, TypeReference, TypeAsset:
		text, ok := Unquote(raw)
		if !ok {
			return []Breach{breach(CodeType, "must be %s, not %s", f.noun(), KindNoun(raw.Kind()))}
		}
		return f.fitString(text)
	case TypeNumber:
		if raw.Kind() != '0' {
			return []Breach{breach(CodeType, "must be a number, not %s", KindNoun(raw.Kind()))}
		}
		return f.fitNumber(string(raw))
	case TypeBoolean:
		if k := raw.Kind(); k != 't' && k != 'f' {
			return []Breach{breach(CodeType, "must be true or false, not %s", KindNoun(k))}
		}
	}
	return nil
}

func (f *Field) fitString(text []byte) []Breach {
	switch f.Type {
	case TypeText, TypeMarkdown:
		return f.fitText(text)
	case TypeDate, TypeDatetime:
		return f.fitTime(string(text))
	case TypeSlug:
		if !IsSlug(string(text)) {
			return []Breach{breach(CodeSlug, "must be a slug: "+SlugRule)}
		}
	case TypeReference:
		if !content.IsID[content.EntryID](string(text)) {
			return []Breach{breach(CodeReference, "must be the id of an entry: ent_ and 26 characters")}
		}
	case TypeAsset:
		if !content.IsID[content.AssetID](string(text)) {
			return []Breach{breach(CodeAsset, "must be the id of an asset: ast_ and 26 characters")}
		}
	}
	return nil
}

func (f *Field) fitText(text []byte) (breaches []Breach) {
	if f.MinLength != nil || f.MaxLength != nil {
		n := utf8.RuneCount(text)
		if f.MinLength != nil && n < *f.MinLength {
			breaches = append(breaches, breach(CodeMinLength, "must have at least %s; it has %d", Count(*f.MinLength, "character"), n))
		}
		if f.MaxLength != nil && n > *f.MaxLength {
			breaches = append(breaches, breach(CodeMaxLength, "must have at most %s; it has %d", Count(*f.MaxLength, "character"), n))
		}
	}
	if f.pattern != nil && !f.pattern.Match(text) {
		breaches = append(breaches, breach(CodePattern, "must match the pattern %s", Show(f.Pattern)))
	}
	if f.Enum != nil && !f.enum[string(text)] {
		breaches = append(breaches, breach(CodeEnum, "must be one of %s", quoteAll(f.Enum)))
	}
	return breaches
}

func (f *Field) fitNumber(text string) (breaches []Breach) {
	d, err := ParseNumber(text)
	if err != nil {
		return []Breach{breach(CodeType, "%s", err)}
	}
	if f.Integer && !isIntegral(d) {
		breaches = append(breaches, breach(CodeInteger, "must be a whole number"))
	}
	if f.min.number != nil && d.Cmp(f.min.number) < 0 {
		breaches = append(breaches, breach(CodeMin, "must be at least %s", f.Min))
	}
	if f.max.number != nil && d.Cmp(f.max.number) > 0 {
		breaches = append(breaches, breach(CodeMax, "must be at most %s", f.Max))
	}
	return breaches
}

func (f *Field) fitTime(text string) (breaches []Breach) {
	parse, code := ParseDate, CodeDate
	if f.Type == TypeDatetime {
		parse, code = ParseDatetime, CodeDatetime
	}
	t, err := parse(text)
	if err != nil {
		return []Breach{breach(code, "%s", err)}
	}
	if f.Min != "" && t.Before(f.min.time) {
		breaches = append(breaches, breach(CodeMin, "must not be before %s", f.Min))
	}
	if f.Max != "" && t.After(f.max.time) {
		breaches = append(breaches, breach(CodeMax, "must not be after %s", f.Max))
	}
	return breaches
}

// noun says what a value of the field is.
func (f *Field) noun() string {
	switch f.Type {
	case TypeDate:
		return "a date as a string, such as " + DateExample
	case TypeDatetime:
		return "a datetime as a string with an offset, such as " + DatetimeExample
	case TypeReference:
		return "the id of an entry"
	case TypeAsset:
		return "the id of an asset"
	case TypeSlug:
		return "a slug"
	}
	return "a string"
}
