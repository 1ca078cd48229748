package validate

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/value"
)

// policed is a collection with one rule and a field of every type that rules look at.
func policed(t testing.TB, rule string) *schema.Collection {
	t.Helper()
	c, err := schema.Parse([]byte(`{"name":"c","policy":[` + rule + `],"fields":{
		"title":{"type":"text"},"loc":{"type":"text","localized":true},"body":{"type":"markdown"},"prose":{"type":"richText"},
		"tags":{"type":"list","of":{"type":"text"}},"seo":{"type":"object","fields":{"d":{"type":"text"},"n":{"type":"number"}}},
		"sections":{"type":"blocks","allowed":[{"key":"q","fields":{"t":{"type":"markdown"}}},{"key":"line","fields":{}}]},
		"n":{"type":"number"},"ok":{"type":"boolean"},"data":{"type":"json"},"data2":{"type":"json","localized":true},"cover":{"type":"asset"},"files":{"type":"asset","multiple":true},
		"by":{"type":"reference","to":"c"},"slug":{"type":"slug"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	bareImage  = "ast_00000000000000000000000001" // an image without alt text
	namedImage = "ast_00000000000000000000000002" // an image with alt text of its own
	pdf        = "ast_00000000000000000000000003"
)

func assets(id content.AssetID) (Asset, bool) {
	a, known := map[content.AssetID]Asset{
		bareImage: {ContentType: "image/png"}, namedImage: {ContentType: "IMAGE/webp", DefaultAlt: "A cat"}, pdf: {ContentType: "application/pdf"},
	}[id]
	return a, known
}

func TestPolicyRules(t *testing.T) {
	doc := func(text string) string {
		return `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"` + text + `"}]}]}`
	}
	image := func(attrs string) string {
		return `{"prose":{"type":"doc","content":[{"type":"image","attrs":{` + attrs + `}}]}}`
	}
	const (
		title    = `{"rule":"length","field":"title","min":2,"max":4}`
		body     = `{"rule":"length","field":"body","min":2,"max":3,"words":true}`
		required = `{"rule":"required","fields":["title"]}`
		banned   = `{"rule":"bannedTerms","terms":["foo","bar baz"]}`
		altText  = `{"rule":"altText"}`
	)
	field := func(key string) string { return strings.Replace(required, "title", key, 1) }
	length := func(key string) string { return `{"rule":"length","field":"` + key + `","min":2,"max":4}` }
	for _, tt := range []struct{ name, rule, in, want string }{
		{"length just inside below", title, `{"title":"éé"}`, ""},
		{"length just outside below", title, `{"title":"🎈"}`, "fields.title"},
		{"length just inside above", title, `{"title":"éééé"}`, ""},
		{"length just outside above", title, `{"title":"ééééé"}`, "fields.title"},
		{"length of an empty text", title, `{"title":""}`, "fields.title"},
		{"length of an unset field", title, `{}`, ""},
		{"length without syntax", length("body"), `{"body":"[ab](https://example.com/long) **cd**"}`, "fields.body"},
		{"length of the text in a link", length("body"), `{"body":"[abcd](https://example.com/long)"}`, ""},
		{"words just inside below", body, `{"body":"one **two**"}`, ""},
		{"words just outside below", body, `{"body":"one [](/two/three)"}`, "fields.body"},
		{"words just inside above", body, `{"body":"# one\n\ntwo three"}`, ""},
		{"words just outside above", body, `{"body":"one two\n\n- three\n- four"}`, "fields.body"},
		{"length of richText", length("prose"), `{"prose":` + doc("abcd") + `}`, ""},
		{"length of richText outside", length("prose"), `{"prose":` + doc("abcde") + `}`, "fields.prose"},
		{"length of a list is that of its texts", length("tags"), `{"tags":["ab","cd"]}`, ""},
		{"length of a list outside", length("tags"), `{"tags":["ab","cd","e"]}`, "fields.tags"},
		{"length of an object", length("seo"), `{"seo":{"d":"abcde","n":1}}`, "fields.seo"},
		{"length of blocks", length("sections"), `{"sections":[{"type":"q","fields":{"t":"ab"}},{"type":"q","fields":{"t":"*c*"}}]}`, ""},
		{"length of a slug", length("slug"), `{"slug":"abcde"}`, "fields.slug"},
		{"length by locale", length("loc"), `{"loc":{"de":"a","en":"ab"}}`, "fields.loc.de"},
		{"length of a plain value", length("loc"), `{"loc":"a"}`, "fields.loc"},

		{"required and there", required, `{"title":"x"}`, ""},
		{"required and unset", required, `{}`, "fields.title"},
		{"required and empty", required, `{"title":""}`, "fields.title"},
		{"required and white space", required, `{"title":" \n"}`, "fields.title"},
		{"required markdown that shows nothing", field("body"), `{"body":"<!-- later -->\n\n[a]: /b"}`, "fields.body"},
		{"required markdown that shows an image", field("body"), `{"body":"![](/x.png)"}`, ""},
		{"required richText", field("prose"), `{"prose":{"type":"doc","content":[{"type":"paragraph"}]}}`, "fields.prose"},
		{"required richText that embeds", field("prose"), image(`"asset":"` + pdf + `"`), ""},
		{"required list", field("tags"), `{"tags":[]}`, "fields.tags"},
		{"required list of empty texts", field("tags"), `{"tags":[""," "]}`, "fields.tags"},
		{"required list that says something", field("tags"), `{"tags":["","a"]}`, ""},
		{"required object", field("seo"), `{"seo":{}}`, "fields.seo"},
		{"required object that says something", field("seo"), `{"seo":{"n":0}}`, ""},
		{"required blocks", field("sections"), `{"sections":[]}`, "fields.sections"},
		{"required blocks without fields", field("sections"), `{"sections":[{"type":"line","fields":{}}]}`, ""},
		{"required number", field("n"), `{"n":0}`, ""},
		{"required boolean", field("ok"), `{"ok":false}`, ""},
		{"required json", field("data"), `{"data":{}}`, "fields.data"},
		{"required json that says something", field("data"), `{"data":[0]}`, ""},
		{"required assets", field("files"), `{"files":[]}`, "fields.files"},
		{"required reference", field("by"), `{"by":"ent_01h455vb4pex5vsknk084sn02q"}`, ""},
		{"required in the default locale", field("loc"), `{"loc":{"de":"","en":"x"}}`, ""},
		{"required and in another locale only", field("loc"), `{"loc":{"de":"x"}}`, "fields.loc.en"},
		{"required and empty in the default locale", field("loc"), `{"loc":{"de":"x","en":" "}}`, "fields.loc.en"},
		{"required as a plain value", field("loc"), `{"loc":"x"}`, ""},
		{"each required field", `{"rule":"required","fields":["title","n","body"]}`, `{"n":1}`, "fields.title, fields.body"},

		{"a banned term", banned, `{"title":"so Foo!"}`, "fields.title"},
		{"part of a word is not the term", banned, `{"title":"food"}`, ""},
		{"two terms", banned, `{"title":"foo bar  baz"}`, "fields.title, fields.title"},
		{"a term in two places", banned, `{"title":"foo","loc":{"de":"foo","en":"ok"}}`, "fields.title, fields.loc.de"},
		{"a term at any depth", banned, `{"tags":["a","foo"],"seo":{"d":"foo"},"sections":[{"type":"line","fields":{}},{"type":"q","fields":{"t":"foo"}}]}`,
			"fields.tags[1], fields.seo.d, fields.sections[1].fields.t"},
		{"a term in json", banned, `{"data":{"foo":["x",{"y":"foo"}]}}`, "fields.data"},
		{"a term as the name of a json member", banned, `{"data":{"foo":1}}`, ""},
		{"a term in a slug", banned, `{"slug":"a-foo-b"}`, "fields.slug"},
		{"a term hidden by marks", banned, `{"body":"f**o**o"}`, "fields.body"},
		{"a term in a link target", banned, `{"body":"[x](https://foo.example)"}`, "fields.body"},
		{"a term across marks of richText", banned, `{"prose":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"f"},{"type":"text","text":"oo","marks":[{"type":"bold"}]}]}]}}`, "fields.prose"},
		{"a term in an attribute of richText", banned, image(`"alt":"a foo"`), "fields.prose"},
		{"the types of richText nodes are no text", `{"rule":"bannedTerms","terms":["paragraph","doc","text"]}`, `{"prose":` + doc("a") + `}`, ""},
		{"a term in the named field", `{"rule":"bannedTerms","terms":["foo"],"fields":["body"]}`, `{"body":"foo"}`, "fields.body"},
		{"a term in another field", `{"rule":"bannedTerms","terms":["foo"],"fields":["body"]}`, `{"title":"foo"}`, ""},

		{"an image without alt text", altText, `{"cover":"` + bareImage + `"}`, "fields.cover"},
		{"an image with alt text of its own", altText, `{"cover":"` + namedImage + `"}`, ""},
		{"what is no image", altText, `{"cover":"` + pdf + `"}`, ""},
		{"an id of no asset", altText, `{"cover":"ast_00000000000000000000000009"}`, ""},
		{"each of several", altText, `{"files":["` + namedImage + `","` + bareImage + `"]}`, "fields.files[1]"},
		{"alt text at the usage", altText, image(`"asset":"` + bareImage + `","alt":"x"`), ""},
		{"blank alt text at the usage", altText, image(`"asset":"` + bareImage + `","alt":" "`), "fields.prose.content[0].attrs.asset"},
		{"alt text of markdown", altText, `{"body":"![x](/assets/p/` + bareImage + `/x.png?w=1)"}`, ""},
		{"no alt text of markdown", altText, `{"body":"![](/assets/p/` + bareImage + `/x.png)"}`, "fields.body"},
		{"a delivery address in a longer text", altText, `{"title":"see https://x/assets/` + bareImage + `/x.png"}`, "fields.title"},
		{"in a block", altText, `{"sections":[{"type":"q","fields":{"t":"![](` + bareImage + `)"}}]}`, "fields.sections[0].fields.t"},
		{"in one locale", altText, `{"data2":{"de":{"a":"` + bareImage + `"},"en":[]}}`, "fields.data2.de"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := policed(t, tt.rule)
			stored, items := Entry(c, german, []byte(tt.in), value.FillRequired)
			if strings.Contains(tt.name, "plain value") {
				stored = jsontext.Value(tt.in) // as it was stored before the field was localized
			} else if len(items) > 0 {
				t.Fatalf("a draft is refused: %+v", items)
			}
			found, err := PolicyOf(c).Check(german, stored, assets)
			if err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, item := range found {
				paths = append(paths, item.Path)
				if item.Code != string(schema.CodePolicy) || item.Message == "" {
					t.Errorf("finding %+v", item)
				}
			}
			if got := strings.Join(paths, ", "); got != tt.want {
				t.Errorf("got %q, want %q: %+v", got, tt.want, found)
			}
		})
	}
}

func TestAViolationSaysWhyTheRuleIsThere(t *testing.T) {
	c := policed(t, `{"rule":"length","field":"title","max":1,"reason":"fits the card"}`)
	found, err := PolicyOf(c).Check(value.Locales{}, jsontext.Value(`{"title":"ab"}`), nil)
	if err != nil || len(found) != 1 || found[0].Message != "must have at most 1 character for its reader; it has 2 (fits the card)" {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestAReasonIsShownUpToABoundWithNothingHidden(t *testing.T) {
	c := policed(t, `{"rule":"length","field":"title","max":1,"reason":"a\u202eb`+strings.Repeat("x", 10_000)+`"}`)
	found, err := PolicyOf(c).Check(value.Locales{}, jsontext.Value(`{"title":"ab"}`), nil)
	if err != nil || len(found) != 1 || !strings.HasSuffix(found[0].Message, `(a\u202eb`+strings.Repeat("x", 497)+"…)") {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestEveryRuleIsEnforcedAtOnce(t *testing.T) {
	c := policed(t, `{"rule":"length","field":"title","max":1},{"rule":"required","fields":["body"]},{"rule":"bannedTerms","terms":["ab"]},{"rule":"altText"}`)
	found, err := PolicyOf(c).Check(value.Locales{}, jsontext.Value(`{"title":"ab","cover":"`+bareImage+`"}`), assets)
	if got := codes(found); err != nil || got != "fields.title policy_violation, fields.body policy_violation, fields.title policy_violation, fields.cover policy_violation" {
		t.Errorf("%s, %v", got, err)
	}
	if PolicyOf(collection(t, `"f":{"type":"text"}`)) != nil {
		t.Error("a collection without rules has a policy")
	}
	if _, err := PolicyOf(c).Check(value.Locales{}, jsontext.Value(`{"title":`), nil); err == nil {
		t.Error("damaged values are not noticed")
	}
}

// What a policy meets may have been stored under another version of the schema; values that do not fit are left to the
// check of the schema.
func TestAPolicyPassesOverWhatDoesNotFit(t *testing.T) {
	c := policed(t, `{"rule":"length","field":"title","max":1},{"rule":"length","field":"tags","max":1},{"rule":"length","field":"prose","max":1},{"rule":"required","fields":["title"]},{"rule":"bannedTerms","terms":["ab"],"fields":["sections"]},{"rule":"altText"}`)
	for _, fields := range []string{
		`{"title":1,"tags":"ab","prose":[1],"sections":{"a":"ab"}}`, `{"title":["ab"],"tags":{"a":1},"prose":"ab","sections":[1,{"type":1},{"type":"q","fields":[]}]}`,
		`{"title":{"en":"ab"},"gone":"ab","files":"x","seo":[],"cover":{"a":1}}`,
	} {
		if _, err := PolicyOf(c).Check(german, jsontext.Value(fields), assets); err != nil {
			t.Errorf("%s: %v", fields, err)
		}
	}
}

// An article of about 10 KB under every rule.
func BenchmarkPolicy(b *testing.B) {
	c := policed(b, `{"rule":"length","field":"body","max":5000,"words":true},{"rule":"required","fields":["body"]},{"rule":"bannedTerms","terms":["foo","best in class","bar"]},{"rule":"altText"}`)
	body := strings.Repeat("## A *heading*\n\nSome **text** with a [link](https://example.com/x) and `code`, and more of it so that it runs on.\n\n- one\n- two\n\n", 70)
	fields := jsontext.Value(`{"title":"A title","body":` + string(quote(b, body+"![x](/assets/"+bareImage+")")) + `}`)
	p := PolicyOf(c)
	b.SetBytes(int64(len(fields)))
	b.ReportAllocs()
	for b.Loop() {
		if found, err := p.Check(value.Locales{}, fields, assets); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
	}
}

func quote(t testing.TB, text string) jsontext.Value {
	t.Helper()
	raw, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
