package render

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

//go:embed testdata/hostile.txt
var hostileText string

// document is one of testdata/hostile.txt.
type document struct{ name, source string }

var (
	hostileCharacter = regexp.MustCompile(`\{U\+([0-9A-F]{4})\}`)
	hostileTimes     = regexp.MustCompile(`\{x(\d+):([^}]*)\}`)
)

// hostile returns the documents of testdata/hostile.txt, whose first lines say how it is written.
func hostile(t *testing.T) (all []document) {
	t.Helper()
	_, rest, _ := strings.Cut(hostileText, "\n=== ")
	names := map[string]bool{}
	for part := range strings.SplitSeq(rest, "\n=== ") {
		name, source, _ := strings.Cut(part, "\n")
		if names[name] {
			t.Fatalf("two documents are called %q", name)
		}
		names[name] = true
		source = hostileTimes.ReplaceAllStringFunc(source, func(s string) string {
			m := hostileTimes.FindStringSubmatch(s)
			n, _ := strconv.Atoi(m[1]) // which the pattern made a number
			return strings.Repeat(m[2], n)
		})
		source = hostileCharacter.ReplaceAllStringFunc(source, func(s string) string {
			n, _ := strconv.ParseInt(hostileCharacter.FindStringSubmatch(s)[1], 16, 32)
			return string(rune(n))
		})
		all = append(all, document{name, source})
	}
	return all
}

// allowedAttributes are the elements of rendered Markdown and what they may have besides title, lang and dir. It is written here a
// second time, so that nothing gets in unseen by a change of the policy.
var allowedAttributes = func() map[string]map[string]*regexp.Regexp {
	number, address := regexp.MustCompile(`^[0-9]{1,10}$`), regexp.MustCompile(``)
	all := map[string]map[string]*regexp.Regexp{
		"a":          {"href": address},
		"img":        {"src": address, "alt": regexp.MustCompile(``), "width": regexp.MustCompile(`^[0-9]+%?$`), "height": regexp.MustCompile(`^[0-9]+%?$`)},
		"blockquote": {"cite": address}, "q": {"cite": address}, "del": {"cite": address}, "ins": {"cite": address},
		"code":    {"class": regexp.MustCompile(`^language-[^\s\x00"'<>&]+$`)},
		"input":   {"type": regexp.MustCompile(`^checkbox$`), "checked": regexp.MustCompile(`^$`), "disabled": regexp.MustCompile(`^$`)},
		"details": {"open": regexp.MustCompile(`^$`)},
		"ol":      {"start": regexp.MustCompile(`^-?[0-9]{1,10}$`)},
	}
	for _, name := range []string{"th", "td"} {
		all[name] = map[string]*regexp.Regexp{"align": regexp.MustCompile(`^(left|center|right)$`), "colspan": number, "rowspan": number}
	}
	for _, name := range []string{"h1", "h2", "h3", "h4", "h5", "h6"} {
		all[name] = map[string]*regexp.Regexp{"id": regexp.MustCompile(`^[^\s\p{Lu}\p{C}"'<>&]+$`)}
	}
	for name := range strings.FieldsSeq(`p br hr div section article aside header footer figure figcaption pre kbd samp var em strong b i u s mark small
		sub sup abbr cite dfn span bdi bdo wbr ruby rb rp rt summary ul li dl dt dd table caption thead tbody tfoot tr`) {
		all[name] = nil
	}
	return all
}()

var everywhere = map[string]*regexp.Regexp{
	"title": regexp.MustCompile(``), "lang": regexp.MustCompile(`^[a-zA-Z0-9-]{1,35}$`), "dir": regexp.MustCompile(`(?i)^(ltr|rtl|auto)$`),
}

// objections lists what a tree has that rendered Markdown may not have.
func objections(nodes []*html.Node) (all []string) {
	ids := map[string]bool{}
	object := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	look := func(n *html.Node) {
		switch n.Type {
		case html.TextNode:
			return
		case html.ElementNode:
		default:
			object("a node of type %d: %q", n.Type, n.Data)
			return
		}
		attributes, known := allowedAttributes[n.Data]
		if !known || n.Namespace != "" {
			object("an element %s %s", n.Namespace, n.Data)
		}
		disabled := false
		for _, a := range n.Attr {
			rule := attributes[a.Key]
			if rule == nil {
				rule = everywhere[a.Key]
			}
			if rule == nil || a.Namespace != "" || !rule.MatchString(a.Val) {
				object("%s with %s=%q", n.Data, a.Key, a.Val)
			}
			if scheme := schemeOf(a.Val); slices.Contains([]string{"href", "src", "cite"}, a.Key) && !slices.Contains([]string{"", "http", "https", "mailto", "tel"}, scheme) {
				object("%s with the scheme %s: %q", n.Data, scheme, a.Val)
			}
			if a.Key == "id" && (ids[a.Val] || reserved[a.Val]) {
				object("the id %q, which is taken", a.Val)
			}
			ids[a.Val] = ids[a.Val] || a.Key == "id"
			disabled = disabled || a.Key == "disabled"
		}
		if n.Data == "input" && !disabled {
			object("an input that can be used")
		}
	}
	for _, root := range nodes {
		look(root)
		for n := range root.Descendants() {
			look(n)
		}
	}
	return all
}

// schemeOf is the scheme of an address as browsers read it (WHATWG URL, "basic URL parser"), in lower case; empty for a relative one.
func schemeOf(address string) string {
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	address = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address)
	end := strings.IndexAny(address, ":/?#\\")
	if end < 0 || address[end] != ':' {
		return ""
	}
	return strings.ToLower(address[:end])
}

// inside parses HTML as the content of an element.
func inside(t *testing.T, element atom.Atom, source []byte) []*html.Node {
	t.Helper()
	nodes, err := html.ParseFragmentWithOptions(bytes.NewReader(source), &html.Node{Type: html.ElementNode, Data: element.String(), DataAtom: element}, html.ParseOptionEnableScripting(true))
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

// TestHostileDocumentsBecomeAllowedHTML: whatever a document holds, only what is listed is left of it, wherever its HTML is put,
// and also once a program has read it and written it again.
func TestHostileDocumentsBecomeAllowedHTML(t *testing.T) {
	documents := hostile(t)
	if len(documents) < 150 {
		t.Errorf("only %d documents are there", len(documents))
	}
	for _, d := range documents {
		t.Run(d.name, func(t *testing.T) {
			out, err := new(Page).Markdown([]byte(d.source))
			if err != nil {
				t.Fatal(err)
			}
			for _, element := range []atom.Atom{atom.Div, atom.Body, atom.P, atom.Td, atom.Li, atom.Template, atom.Noscript} {
				written := out
				for range 3 {
					nodes := inside(t, element, written)
					for _, o := range objections(nodes) {
						t.Errorf("in a %s there is %s: %q", element, o, written)
					}
					var b bytes.Buffer
					for _, n := range nodes {
						if err := html.Render(&b, n); err != nil {
							t.Fatal(err)
						}
					}
					written = b.Bytes()
				}
			}
		})
	}
}

// TestRenderedMarkdownStaysInItsPlace: what a page has behind the HTML of a document remains where it is.
func TestRenderedMarkdownStaysInItsPlace(t *testing.T) {
	for _, d := range hostile(t) {
		out, err := new(Page).Markdown([]byte(d.source))
		if err != nil {
			t.Fatal(err)
		}
		root, err := html.Parse(strings.NewReader(`<body><main><div>` + string(out) + `</div><address>after</address></main>`))
		if err != nil {
			t.Fatal(err)
		}
		stays := false
		for n := range root.Descendants() {
			stays = stays || n.Data == "address" && n.Parent.Data == "main" && n.FirstChild.Data == "after"
		}
		if !stays {
			t.Errorf("%s: the page breaks at %q", d.name, out)
		}
	}
}

// TestHostileDocumentsAreHostile: most of them would not pass without the policy. The others are about ids, and about text that only
// a careless policy makes markup of.
func TestHostileDocumentsAreHostile(t *testing.T) {
	documents, passed := hostile(t), []string{}
	for _, d := range documents {
		var raw bytes.Buffer
		if err := markdown.Convert([]byte(d.source), &raw); err != nil {
			t.Fatal(err)
		}
		if len(objections(inside(t, atom.Div, raw.Bytes()))) == 0 {
			passed = append(passed, d.name)
		}
	}
	if len(passed) > len(documents)/4 {
		t.Errorf("%d of %d would pass without the policy: %q", len(passed), len(documents), passed)
	}
}
