package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc/bench/node"
)

// badFilters are refused by every node in the same words, which name the parameter.
func (b *bed) badFilters() {
	for query, says := range map[string]string{
		"filter=1":                              "filter: must have the form",
		"filter[]=1":                            "filter[]: must have the form",
		"filter[title=1":                        "filter[title: must have the form",
		"filter[title]]=1":                      "must have the form",
		"filter[title][]=1":                     "must have the form",
		"filter[title][ne][gt]=1":               "must have the form",
		"filter[title][like]=1":                 `no operator "like"`,
		"filter[title]=":                        "filter[title]: must have a value",
		"filter[title]=a&filter[title]=b":       "must be given once",
		"filter[title]=a&filter%5Btitle%5D=b":   "must be given once",
		"filter[nothing]=1":                     `no field "nothing"`,
		"filter[body]=1":                        "is of type markdown",
		"filter[title.length]=1":                "no field",
		"filter[constructor]=1":                 "no field",
		"filter[rating]=many":                   "a number such as 12.5",
		"filter[rating]=0x10":                   "a number such as 12.5",
		"filter[rating]=1e99999":                "exponent",
		"filter[rating]=" + digits(5_000):       "at most 100 digits",
		"filter[rating][in]=1,":                 "a number",
		"filter[title][in]=a\\b":                "backslash",
		"filter[title][exists]=maybe":           "true or false",
		"filter[title]=%ff":                     "",
		"filter[title]=%00":                     "",
		"filter[%00]=1":                         "",
		"filter[title]=%zz":                     "",
		"order=":                                "order",
		"order=-":                               "must name a field",
		"order=body":                            "is of type markdown",
		"order=title&order=rating":              "must be given once",
		"order=title,rating":                    "by one field",
		"order=title%20desc":                    "no field",
		"order=(select%201)":                    "no field",
		"sort=title":                            "sort",
		times("filter[f%d]=1", 51):              "50",
		"filter[title][in]=" + commas(101):      "at most 100 values",
		"filter[title]=a&at=99":                 "at",
		"filter[title]=a&locale=xx":             "locale",
		times("filter[f%d]=1", 20) + "&order=x": `no field "f7"`,
	} {
		problem := b.refused(b.nodes(), b.list("posts")+"?"+query, http.StatusBadRequest, "VALIDATION_FAILED")
		if !strings.Contains(problem.Detail, says) || len(problem.Detail) > 16<<10 {
			b.t.Errorf("%.80s: %q does not say %q", query, problem.Detail, says)
		}
	}
	// Who may not read learns nothing of the fields.
	b.refused(b.nodes(), b.list("memos")+"?filter[title]=a", http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
	b.refused(b.nodes(), b.list("memos")+"?filter[nothing]=a&order=-nothing", http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
	b.refused(b.nodes(), b.single("posts", "post-number-1")+"?filter[title]=a", http.StatusBadRequest, "VALIDATION_FAILED")
	b.check(allAnswer(b.t.Context(), b.nodes(), b.list("posts")+"?filter[title]="+strings.Repeat("x", 20<<10), http.StatusRequestHeaderFieldsTooLarge))
}

// oddFilters are taken, and mean the same on every node, at once after a release too, when an edge may pass them on.
func (b *bed) oddFilters() {
	titles := []string{
		"a, b", `back\slash`, "100 %", "a+b = c & d", "#?/..//%2e", "naïve 漢字 🚢", "' OR 1=1 --", "{{7*7}}", strings.Repeat("long ", 300), "[x]",
	}
	set := b.set("Odd")
	for _, title := range titles {
		b.create(set, "posts", map[string]any{"title": title, "rating": 0.5})
	}
	release := b.publish(set)
	for _, title := range titles {
		one := url.QueryEscape(title)
		several := url.QueryEscape(strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(title) + ",nothing")
		for _, query := range []string{
			"filter[title]=" + one, "filter%5Btitle%5D=" + one, "%66ilter[title][in]=" + several,
			"filter[title][gte]=" + one + "&filter[title][lte]=" + one, "order=-title&filter[rating]=5e-1&filter[title]=" + one,
		} {
			b.finds(query, []string{title}, minRelease(release))
		}
	}
	// As much as the head of a request takes.
	b.await(release, "posts", b.nodes()...)
	b.finds("filter[title][in]="+url.QueryEscape("[x],"+strings.TrimSuffix(strings.Repeat(strings.Repeat("y", 140)+",", 99), ",")), []string{"[x]"})
	b.finds("filter[title][ne]=nothing&filter[rating][gt]=0.49&filter[rating][lt]=0.51&order=title&limit=100", slices.Sorted(slices.Values(titles)))
	for _, query := range []string{"filter[rating][exists]=true", "filter[title][ne]=[x]&filter[title][gt]=P&filter[title][lt]=b", "order=-rating"} {
		b.walksAlike(b.list("posts"), query+"&limit=3")
	}
}

// finds checks which titles a list has, on every node.
func (b *bed) finds(query string, titles []string, headers ...node.Header) {
	b.t.Helper()
	page, err := b.same(b.nodes(), b.list("posts")+"?"+query, headers...).Page()
	b.check(err)
	var got []string
	for _, e := range page.Entries {
		got = append(got, titleOf(e))
	}
	if !slices.Equal(got, titles) {
		b.t.Errorf("%.200s finds %.300q, not %.300q", query, got, titles)
	}
}

func digits(n int) string { return strings.Repeat("9", n) }

func commas(n int) string { return strings.TrimSuffix(strings.Repeat("a,", n), ",") }

// times is a parameter n times, each with another number.
func times(parameter string, n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(parameter, i))
	}
	return strings.Join(all, "&")
}
