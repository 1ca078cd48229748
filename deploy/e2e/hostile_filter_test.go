package e2e

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"svc/bench/node"
)

// badFilters are refused by every node in the same words; which ones they are, shared/query tests.
func (b *bed) badFilters() {
	for query, says := range map[string]string{
		"filter[title]]=1":                "must have the form",
		"filter[nothing]=1":               `no field "nothing"`,
		"filter[rating]=many":             "a number such as 12.5",
		"filter[title]=%00":               "",
		"order=title,rating":              "by one field",
		"filter[title]=a&filter[title]=b": "must be given once",
	} {
		problem := b.refused(b.nodes(), b.list("posts")+"?"+query, http.StatusBadRequest, "VALIDATION_FAILED")
		if !strings.Contains(problem.Detail, says) {
			b.t.Errorf("%s: %q does not say %q", query, problem.Detail, says)
		}
	}
	// Who may not read learns nothing of the fields.
	b.refused(b.nodes(), b.list("memos")+"?filter[nothing]=a&order=-nothing", http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
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

// pagesAlike walks a list, asking every node for every page, and returns how many there were: all answer the same, and each takes
// the cursors that all of them give. A list that all of them refuse has one page.
func pagesAlike(ctx context.Context, nodes []node.Node, list string, query url.Values) (int, error) {
	for n := 1; ; n++ {
		answers, err := node.Ask(ctx, nodes, list+"?"+query.Encode())
		if err != nil {
			return n, err
		}
		if err := node.Same(answers); err != nil || answers[0].Status == http.StatusBadRequest {
			return n, err
		}
		page, err := answers[0].Page()
		if err != nil || page.Next == "" {
			return n, err
		}
		query.Set("cursor", page.Next)
	}
}

// walksAlike is pagesAlike for a list that has several pages.
func (b *bed) walksAlike(list, query string) {
	b.t.Helper()
	values, err := url.ParseQuery(query)
	b.check(err)
	n, err := pagesAlike(b.t.Context(), b.nodes(), list, values)
	b.check(err)
	if n < 2 {
		b.t.Errorf("%s?%s has one page", list, query)
	}
}

func titleOf(e node.Entry) string {
	var fields struct {
		Title string `json:"title"`
	}
	if json.Unmarshal(e.Fields, &fields) != nil {
		return strings.TrimSpace(string(e.Fields))
	}
	return fields.Title
}
