package readtest

import (
	"fmt"
	"strings"
)

// scalarCase is a type of field with values to filter and order by, as JSON and as the text of a filter.
type scalarCase struct {
	key, field          string
	low, mid, high      string
	alike               string // equal to mid, written otherwise where the type has more than one way
	unfit               string // of another type
	lowText, midText    string
	highText, otherText string // other is between mid and high, and no entry has it
	unsortable          bool
}

const (
	idA = "01h455vb4pex5vsknk084sn02a"
	idB = "01h455vb4pex5vsknk084sn02b"
	idC = "01h455vb4pex5vsknk084sn02c"
	idD = "01h455vb4pex5vsknk084sn02d"
)

var scalarCases = []scalarCase{
	{key: "text", field: `"type":"text"`, low: `"Zoo"`, mid: `"a \"b\", c"`, alike: `"a \"b\", c"`, high: `"é"`, unfit: `1`, lowText: "Zoo", midText: `a "b", c`, highText: "é", otherText: "b"},
	{key: "number", field: `"type":"number"`, low: `-1.5e3`, mid: `0.1`, alike: `1.00e-1`, high: `9007199254740993`, unfit: `"1"`, lowText: "-1500", midText: "0.10", highText: "9007199254740993.0", otherText: "9007199254740992"},
	{key: "date", field: `"type":"date"`, low: `"0001-01-01"`, mid: `"2024-02-29"`, alike: `"2024-02-29"`, high: `"9999-12-31"`, unfit: `"never"`, lowText: "0001-01-01", midText: "2024-02-29", highText: "9999-12-31", otherText: "2024-03-01"},
	{key: "datetime", field: `"type":"datetime"`, low: `"1969-12-31T23:59:59.9Z"`, mid: `"2024-02-29T10:00:00Z"`, alike: `"2024-02-29T11:30:00.000+01:30"`, high: `"2024-02-29T10:00:00.000000002Z"`, unfit: `"2024-02-29"`, lowText: "1970-01-01T00:59:59.9+01:00", midText: "2024-02-29T09:00:00-01:00", highText: "2024-02-29T10:00:00.000000002Z", otherText: "2024-02-29T10:00:00.000000001Z"},
	{key: "reference", field: `"type":"reference","to":"posts"`, low: `"ent_` + idA + `"`, mid: `"ent_` + idB + `"`, alike: `"ent_` + idB + `"`, high: `"ent_` + idD + `"`, unfit: `["ent_` + idB + `"]`, lowText: "ent_" + idA, midText: "ent_" + idB, highText: "ent_" + idD, otherText: "ent_" + idC, unsortable: true},
	{key: "asset", field: `"type":"asset"`, low: `"ast_` + idA + `"`, mid: `"ast_` + idB + `"`, alike: `"ast_` + idB + `"`, high: `"ast_` + idD + `"`, unfit: `true`, lowText: "ast_" + idA, midText: "ast_" + idB, highText: "ast_" + idD, otherText: "ast_" + idC, unsortable: true},
}

// slugCase is apart, since a slug is never localized.
var slugCase = scalarCase{key: "handle", field: `"type":"slug"`, low: `"a"`, mid: `"a-b"`, alike: `"a-b"`, high: `"b"`, unfit: `{"en":"a-b"}`, lowText: "a", midText: "a-b", highText: "b", otherText: "a1"}

// stored is what entries 1 to 7 hold: low, mid, mid in another form, high, nothing, null, a value of another type.
func (c *scalarCase) stored(n uint64) string {
	return []string{c.low, c.mid, c.alike, c.high, "", "null", c.unfit}[n-1]
}

// scalarSchema is a version of posts with a field of each case; options are for all but slugs.
func scalarSchema(version uint32, options string, cases ...scalarCase) Version {
	var fields []string
	for _, c := range cases {
		if c.key == slugCase.key {
			fields = append(fields, fmt.Sprintf(`%q:{%s}`, c.key, c.field))
			continue
		}
		fields = append(fields, fmt.Sprintf(`%q:{%s%s}`, c.key, c.field, options))
	}
	return Version{Name: "posts", Version: version, Label: "Posts", Canonical: fmt.Appendf(nil,
		`{"name":"posts","visibility":"public","fields":{%s,"flag":{"type":"boolean"%s}}}`, strings.Join(fields, ","), options)}
}
