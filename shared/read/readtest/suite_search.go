package readtest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

const searchedSchema = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text","localized":true},"slug":{"type":"slug"},"body":{"type":"markdown"},` +
	`"rich":{"type":"richText"},"data":{"type":"json"},"tags":{"type":"list","of":{"type":"text"}},"seo":{"type":"object","fields":{"text":{"type":"text"}}},` +
	`"parts":{"type":"blocks","allowed":[{"key":"prose","fields":{"text":{"type":"markdown"}}}]},"n":{"type":"number"},"to":{"type":"reference","to":"posts"}}}`

// searchedEntries are what the entries 1, 2, 3 … hold.
var searchedEntries = []string{
	`{"title":"Café Müller"}`,
	`{"title":"Он мой дом"}`,
	`{"title":"straße und STRAßENBAHN"}`,
	`{"title":"한국어 문장"}`,
	`{"title":"東京都の天気"}`,
	`{"title":"مُحَمَّد"}`,
	`{"title":"A well-known phrase, well done","tags":["one two","three four"]}`,
	`{"title":"C++ and .NET 4.8, v1.2.3, x86_64","seo":{"text":"mail jane.doe@svc.example or call"}}`,
	`{"body":"# Night *buses*\n\nThey run **late** [here](https://target.example/hidden).\nAll week.\n\n| left | right |\n|--|--|\n| up | down |\n\n<!-- comment -->"}`,
	`{"rich":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"inter"},{"type":"text","text":"woven","marks":[{"type":"bold"}]},{"type":"text","text":" thread"}]},{"type":"paragraph","content":[{"type":"text","text":"needle"}]}]},"data":{"member":["deep",{"k":"well"}],"n":7},"parts":[{"type":"prose","fields":{"text":"*block* prose"}}],"slug":"a-slug"}`,
	`{"title":{"de":"Fahrplan der Nacht","en":"Timetable"},"n":4711,"to":"ent_01h455vb4pex5vsknk084sn02a"}`,
	`{"title":"l’eau d'été ﬁne ｶﾀｶﾅ"}`,
}

// searches: what q finds, by the examples of the rules.
func searches(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = []string{"en", "de"}, "en" })
	f.put(Version{Name: "posts", Version: 9, Label: "Posts", Canonical: []byte(searchedSchema)})
	var items []Item
	for i, fields := range searchedEntries {
		it := f.post(uint64(i+1), "")
		it.SchemaVersion, it.Fields = 9, fields
		items = append(items, it)
	}
	f.publish(items...)
	for _, c := range []struct {
		q    string
		want []uint64
	}{
		{`cafe`, []uint64{1}}, {`CAFÉ`, []uint64{1}}, {`muller cafe`, []uint64{1}}, {`mueller`, nil},
		{`мой`, []uint64{2}}, {`мои`, nil}, {`дом он`, []uint64{2}},
		{`STRASSE`, []uint64{3}}, {`strassenbahn`, []uint64{3}}, {`stras`, nil},
		{`한국어`, []uint64{4}}, {`국`, []uint64{4}}, {`어국`, nil}, {`문장`, []uint64{4}},
		{`京`, []uint64{5}}, {`東京都`, []uint64{5}}, {`東都`, nil}, {`天気`, []uint64{5}},
		{`محمد`, []uint64{6}}, {`مُحَمَّد`, []uint64{6}},
		{`well-known`, []uint64{7}}, {`"well known"`, []uint64{7}}, {`"known well"`, nil}, {`known well`, []uint64{7}},
		{`"one two"`, []uint64{7}}, {`"two three"`, nil}, {`two three`, []uint64{7}}, {`“one two”`, []uint64{7}}, {`«three four»`, []uint64{7}}, {`"three four`, []uint64{7}},
		{`well -"well-known"`, []uint64{10}}, {`well -deep`, []uint64{7}}, {`well -"known done"`, []uint64{10, 7}},
		{`C++`, []uint64{8}}, {`.NET`, []uint64{8}}, {`4.8`, []uint64{8}}, {`1.2.3`, nil}, {`v1.2.3`, []uint64{8}}, {`x86_64`, []uint64{8}},
		{`jane.doe@svc.example`, []uint64{8}}, {`doe`, []uint64{8}}, {`or`, []uint64{8}}, {`jane or late`, nil},
		{`"night buses"`, []uint64{9}}, {`"buses they"`, nil}, {`"here all week"`, []uint64{9}}, {`target`, nil}, {`hidden`, nil}, {`comment`, nil},
		{`"left right"`, nil}, {`up down`, []uint64{9}},
		{`interwoven`, []uint64{10}}, {`"interwoven thread"`, []uint64{10}}, {`"thread needle"`, nil}, {`deep`, []uint64{10}}, {`member`, nil}, {`"block prose"`, []uint64{10}},
		{`a-slug`, []uint64{10}}, {`paragraph`, nil}, {`bold`, nil}, {`7`, nil},
		{`fahrplan`, []uint64{11}}, {`nacht timetable`, []uint64{11}}, {`4711`, nil}, {`01h455vb4pex5vsknk084sn02a`, nil},
		{`l'eau`, []uint64{12}}, {`eau`, []uint64{12}}, {`l’eau`, []uint64{12}}, {`ete`, []uint64{12}}, {`fine`, []uint64{12}}, {`カタカナ`, []uint64{12}},
		{`-a -or -late -needle -fahrplan -eau -мой -strasse -京`, []uint64{6, 4, 1}},
		{`!? —`, []uint64{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}},
	} {
		f.wantList("q="+url.QueryEscape(c.q), c.want...)
	}
	f.wantList("q=nacht&locale=de", 11)
	f.wantList("q=nacht&locale=en")
	f.wantList("q=timetable&locale=de")
	f.wantList("q=cafe&locale=de", 1) // which is the default locale's
	f.wantList("q=well&filter[slug]=a-slug", 10)
	f.wantList("q=well&order=title", 7, 10)
	f.wantList("q=", 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
	f.wantRefused("q="+strings.Repeat("a+", 33), "q")
	if _, next := f.page("q=well&limit=1"); next == "" {
		t.Error("two entries are on one page of one")
	} else {
		f.wantRefused(strings.Replace(next, "q=well", "q=well+a", 1), "cursor")
		f.wantRefused(strings.Replace(next, "q=well&", "", 1), "cursor")
		if got := f.listed(strings.Replace(next, "q=well", "q=++WELL", 1)); fmt.Sprint(got) != "[7]" {
			t.Errorf("the same search in other words goes on with %v", got)
		}
	}
	// What falls back follows the default locale.
	f.set(func(s *Settings) { s.Locales = []string{"en", "de", "fr"} })
	f.wantList("q=timetable&locale=fr", 11)
	f.wantList("q=nacht&locale=fr")
	f.set(func(s *Settings) { s.DefaultLocale = "de" })
	f.wantList("q=timetable&locale=fr")
	f.wantList("q=nacht&locale=fr", 11)
	f.set(func(s *Settings) { s.DefaultLocale = "en" })
	// Each pin is searched as it was.
	for _, body := range []string{"new", "newer", "newest"} {
		it := f.post(13, "")
		it.SchemaVersion, it.Fields = 9, fmt.Sprintf(`{"body":%q}`, body)
		f.publish(it)
	}
	f.wantList("q=newer&at=2")
	f.wantList("q=newer&at=3", 13)
	f.wantList("q=newer")
	// A release is searched as it was, under its schema.
	f.put(Version{Name: "posts", Version: 10, Label: "Posts", Canonical: []byte(`{"name":"posts","visibility":"public","fields":{"body":{"type":"text"}}}`)})
	it := f.post(9, "")
	it.SchemaVersion, it.Fields = 10, `{"body":"**new** [text](/target)"}`
	f.publish(it)
	f.wantList("q=target", 9)
	f.wantList("q=cafe")
	f.wantList("q=cafe&at=1", 1)
	f.wantList("q=late&at=1", 9)
	f.wantList("q=late")
}

// phrasedEntries have the pairs of words of one phrase, but not all of them the phrase.
var phrasedEntries = []string{
	`{"title":{"de":"red blue and blue green","en":"Red, blue, green."},"n":4}`,
	`{"title":{"en":"red blue green"},"n":3}`,
	`{"title":{"de":"the red blue green","en":"white"},"n":2}`,
	`{"tags":["red blue","blue green"],"n":1}`,
}

// phrases: a phrase lies in one text of one field, in the locale that is read.
func phrases(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = []string{"en", "de"}, "en" })
	f.put(Version{Name: "posts", Version: 9, Label: "Posts", Canonical: []byte(searchedSchema)})
	var items []Item
	for i, fields := range phrasedEntries {
		it := f.post(uint64(i+1), "")
		it.SchemaVersion, it.Fields = 9, fields
		items = append(items, it)
	}
	f.publish(items...)
	for _, at := range []string{"", "&at=1"} {
		for _, c := range []struct {
			query string
			want  []uint64
		}{
			{`"red blue green"`, []uint64{3, 2, 1}}, {`"red blue green"&locale=de`, []uint64{3, 2}}, {`"red blue green"&locale=en`, []uint64{2, 1}},
			{`-"red blue green"`, []uint64{4}}, {`-"red blue green"&locale=de`, []uint64{4, 1}}, {`-"red blue green"&locale=en`, []uint64{4, 3}},
			{`"red blue green"&order=n`, []uint64{3, 2, 1}}, {`"red blue green" -the&order=n`, []uint64{2, 1}}, {`"red blue green" -"the red blue"&order=-n`, []uint64{1, 2}},
			{`"red blue green"&filter[n][gte]=3`, []uint64{2, 1}}, {`"red blue green"&filter[n][lte]=3&order=title`, []uint64{2, 3}},
			{`"blue and blue" "red blue green"`, []uint64{1}}, {`"blue and blue" "red blue green"&locale=de`, nil},
		} {
			f.wantList("q="+strings.NewReplacer(" ", "+", `"`, "%22").Replace(c.query)+at, c.want...)
		}
		if at == "" {
			it := f.post(3, "")
			it.SchemaVersion, it.Fields = 9, `{"title":{"de":"gone","en":"gone"},"n":9}`
			silent := f.post(2, "")
			silent.SchemaVersion, silent.Fields = 9, `{"n":3}`
			f.publish(it, silent)
			f.wantList("q=%22red+blue+green%22", 1)
			f.wantList("q=-%22red+blue+green%22", 4, 3, 2)
		}
	}
}
