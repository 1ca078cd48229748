package schematest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/shared/schema"
)

// Fault is what is wrong with an entry that Unfitting made: exactly this, nothing else.
type Fault struct {
	Path string
	Code schema.Code
}

// Unfitting makes field values that fit the collection but for one fault, anywhere in them; see Entry for the rest.
func Unfitting(t *rapid.T, c *schema.Collection, locales []string) (jsontext.Value, Fault) {
	root := parseTree(Entry(t, c, locales))
	s := sabotage{t: t, locales: locales}
	s.object(c.Fields, root, "fields")
	p := s.choose()
	p.plant()
	return root.appendJSON(nil), p.Fault
}

// sabotage collects the faults that an entry could have.
type sabotage struct {
	t       *rapid.T
	locales []string
	plans   []plan
}

type plan struct {
	Fault
	plant func()
}

// choose takes one of the plans, each code as likely as any other.
func (s *sabotage) choose() plan {
	var codes []schema.Code
	for _, p := range s.plans {
		if !slices.Contains(codes, p.Code) {
			codes = append(codes, p.Code)
		}
	}
	code := rapid.SampledFrom(codes).Draw(s.t, "code")
	other := slices.DeleteFunc(slices.Clone(s.plans), func(p plan) bool { return p.Code != code })
	return rapid.SampledFrom(other).Draw(s.t, "fault")
}

func (s *sabotage) plan(path string, code schema.Code, plant func()) {
	s.plans = append(s.plans, plan{Fault{path, code}, plant})
}

// become plans that a value turns into another one.
func (s *sabotage) become(path string, code schema.Code, at *tree, raw string) {
	s.plan(path, code, func() { *at = *scalar(raw) })
}

func (s *sabotage) object(fields schema.Fields, at *tree, path string) {
	s.plan(path+".nosuch", schema.CodeUnknownField, func() { at.add("nosuch", scalar("1")) })
	for _, f := range fields {
		value, path := at.member(f.Key), path+"."+f.Key
		if value == nil {
			continue
		}
		if f.Required && f.Default == nil {
			s.plan(path, schema.CodeRequired, func() { at.remove(f.Key) })
			s.become(path, schema.CodeRequired, value, "null")
		}
		if f.Localized && len(s.locales) > 0 {
			s.localeMap(f, value, path)
		} else {
			s.value(f, value, path)
		}
	}
}

func (s *sabotage) localeMap(f *schema.Field, at *tree, path string) {
	for i, locale := range at.keys {
		s.value(f, at.kids[i], path+"."+locale)
	}
	s.plan(path+".xx", schema.CodeUnknownLocale, func() { at.add("xx", at.kids[0]) })
	if others := len(at.keys) > 1; f.Required && (others || f.Default == nil) {
		s.plan(path+"."+s.locales[0], schema.CodeRequired, func() { at.remove(s.locales[0]) })
	}
}

// value plans faults of a value of f, in one locale, and of what it holds.
func (s *sabotage) value(f *schema.Field, at *tree, path string) {
	switch f.Type {
	case schema.TypeText, schema.TypeMarkdown:
		s.text(f, at, path)
	case schema.TypeNumber:
		s.number(f, at, path)
	case schema.TypeBoolean:
		s.become(path, schema.CodeType, at, `"true"`)
	case schema.TypeDate:
		s.time(f, at, path, schema.CodeDate, "2020-02-30", "2019-12-31", "2021-01-01")
	case schema.TypeDatetime:
		s.time(f, at, path, schema.CodeDatetime, "2020-01-09T12:00:00", "2019-12-31T23:59:59.999Z", "2020-12-31T00:00:00-12:00")
	case schema.TypeReference:
		s.id(f, at, path, schema.CodeReference, "ast_01h455vb4pex5vsknk084sn02q")
	case schema.TypeAsset:
		s.id(f, at, path, schema.CodeAsset, "ent_01h455vb4pex5vsknk084sn02q")
	case schema.TypeSlug:
		s.become(path, schema.CodeSlug, at, `"a--b"`)
		s.become(path, schema.CodeType, at, "1")
	case schema.TypeList:
		s.list(f, at, path)
	case schema.TypeObject:
		s.object(f.Fields, at, path)
		s.become(path, schema.CodeType, at, `"x"`)
	case schema.TypeRichText:
		s.richText(at, path)
	case schema.TypeBlocks:
		s.blocks(f, at, path)
	}
}

func (s *sabotage) text(f *schema.Field, at *tree, path string) {
	s.become(path, schema.CodeType, at, "1")
	if f.MinLength != nil {
		s.become(path, schema.CodeMinLength, at, strconv.Quote(strings.Repeat("🎈", *f.MinLength-1)))
	}
	if f.MaxLength != nil {
		s.become(path, schema.CodeMaxLength, at, strconv.Quote(strings.Repeat("é", *f.MaxLength+1)))
	}
	if f.Enum != nil {
		s.become(path, schema.CodeEnum, at, `"four"`)
	}
	if f.Pattern != "" {
		s.become(path, schema.CodePattern, at, `"?"`)
	}
}

func (s *sabotage) number(f *schema.Field, at *tree, path string) {
	s.become(path, schema.CodeType, at, `"1"`)
	if f.Integer {
		s.become(path, schema.CodeInteger, at, "0.5") // no bound of a random file excludes it
	}
	if n, err := strconv.Atoi(f.Min); err == nil {
		s.become(path, schema.CodeMin, at, strconv.Itoa(n-1))
	}
	if n, err := strconv.Atoi(f.Max); err == nil {
		s.become(path, schema.CodeMax, at, strconv.Itoa(n+1)+".0")
	}
}

func (s *sabotage) time(f *schema.Field, at *tree, path string, code schema.Code, malformed, early, late string) {
	s.become(path, schema.CodeType, at, "20200101")
	s.become(path, code, at, strconv.Quote(malformed))
	if f.Min != "" {
		s.become(path, schema.CodeMin, at, strconv.Quote(early))
	}
	if f.Max != "" {
		s.become(path, schema.CodeMax, at, strconv.Quote(late))
	}
}

func (s *sabotage) id(f *schema.Field, at *tree, path string, code schema.Code, other string) {
	if f.Multiple {
		for i, kid := range at.kids {
			s.id(&schema.Field{Type: f.Type}, kid, index(path, i), code, other)
			s.become(index(path, i), schema.CodeType, kid, "null")
		}
		return
	}
	s.become(path, code, at, strconv.Quote(other))
	s.become(path, schema.CodeType, at, "1")
	s.become(path, schema.CodeType, at, "[]")
}

func (s *sabotage) list(f *schema.Field, at *tree, path string) {
	s.become(path, schema.CodeType, at, `{}`)
	s.count(f, at, path, func() *tree { return parseTree(Fitting(s.t, f.Of)) })
	for i, kid := range at.kids {
		if f.Of.Type != schema.TypeJSON {
			s.become(index(path, i), schema.CodeType, kid, "null")
		}
		s.value(f.Of, kid, index(path, i))
	}
}

func (s *sabotage) blocks(f *schema.Field, at *tree, path string) {
	s.become(path, schema.CodeType, at, `"x"`)
	s.count(f, at, path, func() *tree {
		key := f.Blocks[0].Key
		return parseTree([]byte(`{"type":"` + key + `","fields":` + string(fields(s.t, f.Blocks[0].Fields, nil)) + `}`))
	})
	for i, kid := range at.kids {
		path := index(path, i)
		s.become(path, schema.CodeType, kid, "1")
		s.become(path+".type", schema.CodeUnknownBlock, kid.member("type"), `"gone"`)
		s.plan(path+".type", schema.CodeRequired, func() { kid.remove("type") })
		s.plan(path+".id", schema.CodeUnknownField, func() { kid.add("id", scalar("1")) })
		s.become(path+".fields", schema.CodeType, kid.member("fields"), "[]")
		kind, _ := strconv.Unquote(kid.member("type").raw)
		s.object(f.Block(kind).Fields, kid.member("fields"), path+".fields")
	}
}

// count plans too few and too many items.
func (s *sabotage) count(f *schema.Field, at *tree, path string, item func() *tree) {
	if f.MinItems != nil {
		s.plan(path, schema.CodeMinItems, func() { at.kids = at.kids[:*f.MinItems-1] })
	}
	if f.MaxItems != nil {
		s.plan(path, schema.CodeMaxItems, func() {
			for len(at.kids) <= *f.MaxItems {
				at.kids = append(slices.Clip(at.kids), item())
			}
		})
	}
}

func (s *sabotage) richText(at *tree, path string) {
	s.become(path, schema.CodeType, at, `"x"`)
	s.become(path+".type", schema.CodeRichText, at, `{"type":"paragraph","content":[]}`)
	s.become(path+".content", schema.CodeRichText, at, `{"type":"doc"}`)
	s.become(path+".content[0].type", schema.CodeRichText, at, `{"type":"doc","content":[{}]}`)
	s.become(path+".content[0].attrs.asset", schema.CodeAsset, at, `{"type":"doc","content":[{"type":"image","attrs":{"asset":"x"}}]}`)
	s.become(path+".content[0].marks[1].type", schema.CodeDuplicate, at,
		`{"type":"doc","content":[{"type":"text","text":"x","marks":[{"type":"b"},{"type":"b"}]}]}`)
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
