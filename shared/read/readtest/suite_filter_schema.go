package readtest

import (
	"fmt"
	"testing"
)

// oneField is a version of posts with one field "x" beside its slug.
func oneField(version uint32, field string) Version {
	return Version{Name: "posts", Version: version, Label: "Posts", Canonical: fmt.Appendf(nil,
		`{"name":"posts","visibility":"public","fields":{"slug":{"type":"slug"}%s}}`, field)}
}

func (f *fixture) holding(n uint64, raw string) Item {
	it := f.post(n, "")
	it.Fields = `{}`
	if raw != "" {
		it.Fields = `{"x":` + raw + `}`
	}
	return it
}

// changingFields removes a field, brings it back as it was and with other types, and localizes it. What is filterable follows
// at once, over everything that was published before, and every release keeps what it was.
func changingFields(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	const text, num, localized = `,"x":{"type":"text"}`, `,"x":{"type":"number"}`, `,"x":{"type":"text","localized":true}`
	f.put(oneField(2, ""))
	f.publish(f.holding(1, `"1"`), f.holding(2, `"2"`), f.holding(3, `3`), f.holding(4, "")) // release 1, undeclared
	f.wantRefused("filter[x]=1", "filter[x]")
	f.wantRefused("order=x", "order")
	f.put(oneField(3, text))
	f.wantList("filter[x]=1", 1) // without a release of its own
	f.wantList("order=-x", 2, 1, 3, 4)
	f.wantRefused("at=1&filter[x]=1", "filter[x]")
	f.publish(f.holding(5, `"10"`)) // 2, text
	f.put(oneField(4, num))
	f.wantList("filter[x]=3", 3)
	f.wantList("filter[x][exists]=false", 5, 4, 2, 1)
	f.wantList("order=x", 3, 1, 2, 4, 5)
	f.publish(f.holding(2, `2`), f.holding(6, `10`)) // 3, number
	f.wantList("order=x", 2, 3, 6, 1, 4, 5)
	f.wantRefused("filter[x]=ten", "filter[x]")
	f.put(oneField(2, ""))
	f.publish(f.holding(1, `"0"`), f.holding(6, `"6"`), gone(3)) // 4, undeclared again
	f.wantRefused("filter[x]=1", "filter[x]")
	f.put(oneField(3, text))
	f.wantList("filter[x][gte]=0", 6, 5, 1)
	f.publish(f.holding(7, `"7"`)) // 5, text again
	f.wantList("order=x", 1, 5, 6, 7, 2, 4)
	f.put(oneField(5, localized))
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = []string{"en", "de"}, "en" })
	f.publish(f.holding(2, `{"de":"zwei","en":"two"}`)) // 6, localized
	f.wantList("locale=de&order=x", 1, 5, 6, 7, 2, 4)
	f.wantList("locale=de&filter[x]=zwei", 2)
	f.wantList("filter[x][in]=two,7", 7, 2)
	f.put(oneField(4, num))
	f.publish(f.holding(8, `8`)) // 7, number again
	f.remove("posts")
	f.put(Version{Name: "pages", Version: 1, Label: "Pages", Canonical: []byte(`{"name":"pages","fields":{}}`)})
	f.publish(f.holding(9, `9`)) // 8, where the collection is not
	f.put(oneField(4, num))
	f.wantList("filter[x][exists]=true", 9, 8)
	for pin, want := range map[int][]uint64{2: {1, 5, 2, 3, 4}, 3: {2, 3, 6, 1, 4, 5}, 5: {1, 5, 6, 7, 2, 4}, 6: {1, 5, 6, 7, 2, 4}, 7: {8, 1, 2, 4, 5, 6, 7}, 8: nil} {
		f.wantList(fmt.Sprintf("at=%d&order=x", pin), want...)
	}
	f.wantRefused("at=4&filter[x]=1", "filter[x]")
	f.wantList("at=2&filter[x]=10", 5)
	f.wantList("at=3&filter[x]=10", 6)
	f.wantList("at=5&filter[x]=10", 5)
	f.wantList("at=6&locale=de&filter[x]=zwei", 2)
	f.wantList("at=6&filter[x]=zwei")
	f.wantList("at=7&filter[x][ne]=8", 7, 6, 5, 4, 2, 1)
	f.wantList("at=8&filter[anything]=1&order=-whatever")
}
