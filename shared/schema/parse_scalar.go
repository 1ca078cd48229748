package schema

import (
	"slices"
	"time"

	"github.com/cockroachdb/apd/v3"
)

func (p *parser) text(o *options, f *Field, at place) {
	if !at.item {
		f.Multiline = o.flag("multiline")
	}
	f.MinLength, f.MaxLength = o.counts("minLength", "maxLength")
	if f.Pattern = o.text("pattern"); f.Pattern != "" {
		f.pattern = p.compile(o.path("pattern"), f.Pattern)
	}
	f.Enum, f.enum = o.texts("enum", true), map[string]bool{}
	for _, member := range f.Enum {
		f.enum[member] = true
	}
	if p.proposed && len(f.Enum) > 0 && !slices.ContainsFunc(f.Enum, func(s string) bool { return len(f.fitText([]byte(s))) == 0 }) {
		p.fault(o.path("enum"), CodeRange, "no member fits minLength, maxLength and pattern, so no value would be right")
	}
}

func (p *parser) numberBounds(o *options, f *Field) {
	f.min.number, f.Min = p.numberBound(o, "min")
	f.max.number, f.Max = p.numberBound(o, "max")
	if f.min.number != nil && f.max.number != nil && f.min.number.Cmp(f.max.number) > 0 {
		p.fault(o.path("min"), CodeRange, "must not be greater than max (%s)", f.Max)
	}
}

func (p *parser) numberBound(o *options, key string) (*apd.Decimal, string) {
	n := o.typed(o.node(key), '0', "a number")
	if n == nil {
		return nil, ""
	}
	d, err := ParseNumber(string(n.raw))
	if err != nil {
		return nil, "" // readNode has reported it
	}
	return d, canonicalNumber(d)
}

func (p *parser) timeBounds(o *options, f *Field) {
	f.min.time, f.Min = p.timeBound(o, f.Type, "min")
	f.max.time, f.Max = p.timeBound(o, f.Type, "max")
	if f.Min != "" && f.Max != "" && f.min.time.After(f.max.time) {
		p.fault(o.path("min"), CodeRange, "must not be after max (%s)", f.Max)
	}
}

func (p *parser) timeBound(o *options, t FieldType, key string) (time.Time, string) {
	noun := "a date as a string, such as " + DateExample
	if t == TypeDatetime {
		noun = "a datetime as a string with an offset, such as " + DatetimeExample
	}
	n := o.typed(o.node(key), '"', noun)
	if n == nil {
		return time.Time{}, ""
	}
	text, _ := n.text()
	if t == TypeDate {
		at, err := ParseDate(text)
		if err != nil {
			p.fault(n.path(), CodeDate, "%s", err)
			return time.Time{}, ""
		}
		return at, text
	}
	at, err := ParseDatetime(text)
	if err != nil {
		p.fault(n.path(), CodeDatetime, "%s", err)
		return time.Time{}, ""
	}
	return at, canonicalDatetime(at)
}

// defaultValue reads the default, which must fit the field. For json, null is the same as none.
func (p *parser) defaultValue(o *options, f *Field) {
	n := o.node("default")
	if n == nil || f.Type == TypeJSON && n.kind == 'n' {
		return
	}
	raw := append([]byte(nil), n.raw...)
	breaches := f.Fit(raw)
	for _, b := range breaches {
		p.fault(n.path(), b.Code, "%s", b.Message)
	}
	if len(breaches) > 0 {
		return
	}
	if f.Type == TypeNumber {
		d, err := ParseNumber(string(raw))
		if err != nil {
			return // readNode has reported it
		}
		raw = []byte(canonicalNumber(d))
	}
	f.Default = raw
}
