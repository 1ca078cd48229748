package readtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"svc/shared/read"
	"svc/shared/render"
	"svc/shared/schema"
	"svc/shared/search"
	"svc/shared/value"
)

// searched holds every clause of the search against the texts of what a reader gets with representation=rendered. What the texts
// of an entry are, and when a phrase is in one, is written here a second time.
func searched(q *read.ListQuery, fields []byte) (bool, error) {
	if len(q.Search.Clauses) == 0 {
		return true, nil
	}
	o := value.Output{Schema: q.Frame.Schema, Locales: q.Frame.ValueLocales(), Locale: q.Locale, Markdown: new(render.Page).Markdown}
	shown, err := o.Append(nil, fields)
	if err != nil {
		return false, err
	}
	var values map[string]any
	if err := json.Unmarshal(shown, &values); err != nil {
		return false, err
	}
	var texts []string
	for _, f := range q.Frame.Schema.Fields {
		locales, isMap := values[f.Key].(map[string]any)
		if f.Localized && q.Locale == "" && len(q.Frame.Locales) > 0 && isMap {
			for _, v := range locales {
				texts = append(texts, textsOf(f, v)...)
			}
			continue
		}
		texts = append(texts, textsOf(f, values[f.Key])...)
	}
	for _, c := range q.Search.Clauses {
		if anyHas(texts, c.Terms) == c.Exclude {
			return false, nil
		}
	}
	return true, nil
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

func textsOf(f *schema.Field, v any) (all []string) {
	switch f.Type {
	case schema.TypeText, schema.TypeSlug:
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	case schema.TypeMarkdown:
		if s, ok := v.(string); ok {
			all = blocksOf(s)
		}
	case schema.TypeJSON:
		all = stringsOf(v)
	case schema.TypeRichText:
		all = paragraphsOf(v)
	case schema.TypeList:
		items, _ := v.([]any)
		for _, item := range items {
			all = append(all, textsOf(f.Of, item)...)
		}
	case schema.TypeObject:
		all = membersOf(f.Fields, v)
	case schema.TypeBlocks:
		blocks, _ := v.([]any)
		for _, b := range blocks {
			if block, ok := b.(map[string]any); ok {
				all = append(all, membersOf(f.Block(fmt.Sprint(block["type"])).Fields, block["fields"])...)
			}
		}
	}
	return all
}

func membersOf(fields schema.Fields, v any) (all []string) {
	members, _ := v.(map[string]any)
	for _, f := range fields {
		all = append(all, textsOf(f, members[f.Key])...)
	}
	return all
}

func stringsOf(v any) (all []string) {
	switch v := v.(type) {
	case string:
		all = append(all, v)
	case []any:
		for _, item := range v {
			all = append(all, stringsOf(item)...)
		}
	case map[string]any:
		for _, member := range v {
			all = append(all, stringsOf(member)...)
		}
	}
	return all
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
