package e2e

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
)

// leave takes the posts away and brings them back with a localized title.
func (l *schemaLoad) leave() {
	l.t.Helper()
	ctx := l.t.Context()
	l.check(l.push(ctx, l.ceiling.Add(1), ""))
	release := l.write(l.page, map[string]string{"title": "Alone"})
	l.await(release, "pages", l.nodes()...)
	l.agree([]string{"pages"}, l.edges()...)
	for _, ref := range []string{l.list("posts"), l.list("posts") + "?at=1", l.single("posts", l.ids[0])} {
		l.refused(l.nodes(), ref, http.StatusNotFound, "NOT_FOUND")
		l.refused(with(l.mint("content:read").Secret, l.nodes()...), ref, http.StatusNotFound, "NOT_FOUND")
	}
	l.check(l.push(ctx, l.ceiling.Add(1), schemaLocalized))
	l.agree([]string{"posts", "pages"}, l.edges()...)
	if got := l.same(l.nodes(), l.list("posts")+"?limit=100&at=1"); string(got.Body) != string(l.pinned) {
		l.t.Errorf("the list at release 1 is another one:\n%s\nnot\n%s", got.Body, l.pinned)
	}
	set := l.set("Translate")
	l.patch(set, l.ids[0], map[string]any{"title": map[string]string{"en": "Post", "de": "Beitrag"}})
	release = l.publish(set)
	l.await(release, "posts", l.nodes()...)
	for query, want := range map[string]string{
		"?locale=de": `"fields":{"title":"Beitrag",`, "": `"fields":{"title":{"de":"Beitrag","en":"Post"},`,
	} {
		l.contains(l.single("posts", l.ids[0])+query, want)
	}
	l.contains(l.single("posts", l.ids[1])+"?locale=de", `"title":"Post number 1"`)
	l.contains(l.single("posts", l.ids[1]), `"title":{"en":"Post number 1"}`)
	l.refuses()
	l.agree([]string{"posts", "pages"}, l.edges()...)
}

// refuses tries deployments that must not happen, and no one sees anything of them.
func (l *schemaLoad) refuses() {
	l.t.Helper()
	before := l.same(l.nodes(), l.collections())
	retyped := strings.Replace(schemaWhole, `"b":{"type":"number"}`, `"b":{"type":"text"}`, 1)
	for code, posts := range map[string]string{"SCHEMA_CHANGE_DESTRUCTIVE": schemaReduced, "VALIDATION_FAILED": retyped} {
		set := []jsontext.Value{jsontext.Value(fmt.Sprintf(schemaPages, code)), jsontext.Value(fmt.Sprintf(posts, code))}
		_, err := l.api.PushSchema(l.t.Context(), l.project.Slug, set, code == "VALIDATION_FAILED", "")
		if !isRefusal(err, code) {
			l.t.Errorf("the deployment is answered with %v, not %s", err, code)
		}
	}
	l.level(string(l.project.ID), l.edges()...)
	after := l.same(l.nodes(), l.collections())
	l.check(node.Same([]node.Answer{before, after}))
}

// contains checks a part of what all nodes answer.
func (l *schemaLoad) contains(path, want string) {
	l.t.Helper()
	if answer := l.same(l.nodes(), path); !containsText(answer.Body, want) {
		l.t.Errorf("%s answers %s, without %s", path, answer.Body, want)
	}
}
