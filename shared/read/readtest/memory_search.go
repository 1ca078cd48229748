package readtest

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"svc/shared/read"
	"svc/shared/render"
	"svc/shared/schema"
	"svc/shared/search"
)

// searched holds every clause of the search against the texts of what a reader gets with representation=rendered. What the texts
// of an entry are, and when a phrase is in one, is written here a second time.
func searched(q *read.ListQuery, fields []byte) bool {
	if len(q.Search.Clauses) == 0 {
		return true
	}
	var texts []string
	for _, l := range leavesOf(q.Frame, fields, q.Locale) {
		texts = append(texts, textsOf(l)...)
	}
	return !slices.ContainsFunc(q.Search.Clauses, func(c search.Clause) bool { return anyHas(texts, c.Terms) == c.Exclude })
}

// anyHas looks for a phrase at every position of every text.
func anyHas(texts []string, phrase []search.Term) bool {
	for _, text := range texts {
		words := slices.Collect(search.Words(text))
		at := func(n int, word string) bool { return word == "" || n < len(words) && words[n].Text == word }
		for start := range words {
			all := true
			for _, t := range phrase {
				all = all && at(start+t.Offset, t.First) && at(start+t.Offset+1, t.Second)
			}
			if all {
				return true
			}
		}
	}
	return false
}

// textsOf are the texts of a leaf.
func textsOf(l leaf) []string {
	text, isText := l.value.(string)
	switch l.field.Type {
	case schema.TypeText, schema.TypeSlug:
		if isText {
			return []string{text}
		}
	case schema.TypeMarkdown:
		if isText {
			return blocksOf(rendered(text))
		}
	case schema.TypeJSON:
		return stringsOf(l.value)
	case schema.TypeRichText:
		return paragraphsOf(l.value)
	}
	return nil
}

// rendered is the HTML of a text alone. No text of these tests is too large for it.
func rendered(markdown string) string {
	page, err := new(render.Page).Markdown([]byte(markdown))
	if err != nil {
		panic(err)
	}
	return string(page)
}

// paragraphsOf reads a tree whose text stands in paragraphs.
func paragraphsOf(v any) (all []string) {
	node, _ := v.(map[string]any)
	nodes, _ := node["content"].([]any)
	line := ""
	for _, n := range nodes {
		if text, ok := n.(map[string]any)["text"].(string); ok {
			line += text
		} else {
			all = append(all, paragraphsOf(n)...)
		}
	}
	return append(all, line)
}

// blocksOf splits HTML at the tags of its blocks.
func blocksOf(page string) []string {
	all := []string{""}
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return all
		case html.TextToken:
			all[len(all)-1] += string(z.Text())
		default:
			name, _ := z.TagName()
			switch string(name) {
			case "a", "b", "i", "em", "strong", "del", "code", "span":
			case "br":
				all[len(all)-1] += " "
			default:
				all = append(all, "")
			}
		}
	}
}
