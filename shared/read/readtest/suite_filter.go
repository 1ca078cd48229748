package readtest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// filters goes through every operator on every type, at the head and then at the release after everything changed.
func filters(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	cases := append([]scalarCase{slugCase}, scalarCases...)
	f.put(scalarSchema(2, "", cases...))
	f.publish(f.scalars(cases, func(_ *scalarCase, _ uint64, raw string) string { return raw })...)
	for _, c := range cases {
		f.operators(&c, "")
	}
	f.booleans("")
	f.put(scalarSchema(3, "", scalarCases[1]))
	f.publish(f.scalars(cases, func(c *scalarCase, n uint64, _ string) string { return c.stored(8 - n) })...)
	f.publish(gone(1), gone(4), gone(7))
	for _, c := range cases {
		f.operators(&c, "at=1&")
	}
	f.booleans("at=1&")
	f.wantRefused("filter[text]=x", "filter[text]")
	f.wantList("at=2&filter[number][gte]=0.1", 6, 5, 4)
	f.wantList("filter[number][gte]=0.1", 6, 5)
	f.wantList("filter[number][lt]=0.1")
}

// scalars are entries 1 to 7, with the value of each field as write makes it of what the case stores.
func (f *fixture) scalars(cases []scalarCase, write func(c *scalarCase, n uint64, raw string) string) []Item {
	var items []Item
	flags := scalarCase{key: "flag"}
	for n := uint64(1); n <= 7; n++ {
		var members []string
		for _, c := range cases {
			if raw := write(&c, n, c.stored(n)); raw != "" {
				members = append(members, fmt.Sprintf(`%q:%s`, c.key, raw))
			}
		}
		flag := []string{"false", "true", "true", "false", "", "null", `"true"`}[n-1]
		if flag = write(&flags, n, flag); flag != "" {
			members = append(members, `"flag":`+flag)
		}
		it := f.post(n, "")
		it.Fields = "{" + strings.Join(members, ",") + "}"
		items = append(items, it)
	}
	return items
}

// operators checks a field by which entries 1 to 7 are as stored says.
func (f *fixture) operators(c *scalarCase, prefix string) {
	f.Helper()
	want := func(op, text string, numbers ...uint64) {
		f.Helper()
		name := "filter[" + c.key + "]"
		if op != "" {
			name += "[" + op + "]"
		}
		f.wantList(prefix+name+"="+url.QueryEscape(text), numbers...)
	}
	list := func(texts ...string) string {
		for i := range texts {
			texts[i] = strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(texts[i])
		}
		return strings.Join(texts, ",")
	}
	want("", c.lowText, 1)
	want("", c.midText, 3, 2)
	want("", c.otherText)
	want("ne", c.midText, 7, 6, 5, 4, 1)
	want("ne", c.otherText, 7, 6, 5, 4, 3, 2, 1)
	want("gt", c.lowText, 4, 3, 2)
	want("gt", c.midText, 4)
	want("gt", c.highText)
	want("gte", c.midText, 4, 3, 2)
	want("gte", c.otherText, 4)
	want("lt", c.midText, 1)
	want("lt", c.lowText)
	want("lt", c.otherText, 3, 2, 1)
	want("lte", c.midText, 3, 2, 1)
	want("lte", c.highText, 4, 3, 2, 1)
	want("in", list(c.highText, c.lowText, c.otherText), 4, 1)
	want("in", list(c.midText), 3, 2)
	want("in", list(c.otherText))
	want("exists", "true", 4, 3, 2, 1)
	want("exists", "false", 7, 6, 5)
	name := prefix + "filter[" + c.key + "]"
	mid, high := url.QueryEscape(c.midText), url.QueryEscape(c.highText)
	f.wantList(name+"[gte]="+mid+"&"+"filter["+c.key+"][lt]="+high, 3, 2)
	f.wantList(name+"[ne]="+mid+"&"+"filter["+c.key+"][exists]=true&filter[flag]=false", 4, 1)
	f.wantList(name + "=" + mid + "&" + "filter[" + c.key + "][exists]=false")
	if c.unsortable {
		f.wantRefused(prefix+"order="+c.key, "order")
		return
	}
	f.wantList(prefix+"order="+c.key, 1, 2, 3, 4, 5, 6, 7)
	f.wantList(prefix+"order=-"+c.key, 4, 2, 3, 1, 5, 6, 7)
	f.wantList(name+"[gt]="+url.QueryEscape(c.lowText)+"&order=-"+c.key, 4, 2, 3)
	f.wantList(name+"[ne]="+mid+"&order=-"+c.key, 4, 1, 5, 6, 7)
	f.wantList(prefix+"filter[flag][exists]=true&order=-"+c.key, 4, 2, 3, 1)
	f.wantList(name+"[exists]=false&order="+c.key, 5, 6, 7)
}

// booleans checks the field flag: 1 and 4 are false, 2 and 3 true.
func (f *fixture) booleans(prefix string) {
	f.Helper()
	for filter, want := range map[string][]uint64{
		"=true": {3, 2}, "=false": {4, 1}, "[ne]=true": {7, 6, 5, 4, 1}, "[gt]=false": {3, 2}, "[gt]=true": nil, "[gte]=false": {4, 3, 2, 1},
		"[lt]=true": {4, 1}, "[lt]=false": nil, "[lte]=true": {4, 3, 2, 1}, "[in]=true,false": {4, 3, 2, 1}, "[in]=true": {3, 2},
		"[exists]=true": {4, 3, 2, 1}, "[exists]=false": {7, 6, 5},
	} {
		f.wantList(prefix+"filter[flag]"+filter, want...)
	}
	f.wantList(prefix+"order=flag", 1, 4, 2, 3, 5, 6, 7)
	f.wantList(prefix+"order=-flag", 2, 3, 1, 4, 5, 6, 7)
}
