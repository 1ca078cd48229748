package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
	"svc/core/client"
	"svc/core/wire"
	"svc/deploy/e2e/retry"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/shared/credential"
)

// patience is how long anything may take that is waited for. Nothing is measured here: that is what bench is for.
const patience = 5 * time.Minute

// bed is what a test works on: the deployment, and a project of its own.
type bed struct {
	t       *testing.T
	stack   *local.Stack
	account local.Account
	api     *client.Client
	project wire.Project

	core, edge1, edge2 node.Node
}

// newBed makes a project with these collections on the deployment that all tests share. Other tests run beside this one, so
// it breaks nothing and looks at no other project.
func newBed(t *testing.T, collections ...string) *bed {
	t.Helper()
	t.Parallel()
	return sharedBed(t, collections...)
}

// newFaultBed is newBed for a test that stops or breaks parts of the shared deployment. It runs alone, and mends everything
// before it ends.
func newFaultBed(t *testing.T, collections ...string) *bed {
	t.Helper()
	return sharedBed(t, collections...)
}

// newPrivateBed makes a project with these collections in a deployment that only this test uses, and may break.
func newPrivateBed(t *testing.T, cfg local.Config, collections ...string) *bed {
	t.Helper()
	t.Parallel()
	b := &bed{t: t, stack: localtest.Stack(t, cfg)}
	account, err := b.stack.Account(t.Context())
	b.check(err)
	b.account = account
	b.begin(collections)
	return b
}

func sharedBed(t *testing.T, collections ...string) *bed {
	t.Helper()
	d, err := shared()
	if err != nil {
		t.Fatalf("start a deployment: %v", err)
	}
	b := &bed{t: t, stack: d.stack, account: d.account}
	b.begin(collections)
	return b
}

// begin makes the project.
func (b *bed) begin(collections []string) {
	b.t.Helper()
	b.api = client.New(b.stack.URL("core"), b.account.Token, nil)
	b.core, b.edge1, b.edge2 = b.node("core"), b.node("edge-1"), b.node("edge-2")
	b.project = b.newProject(collections...)
	b.held()
}

// held waits until the edges hold the project themselves: until then they pass its reads on to core, which may be further.
func (b *bed) held() {
	b.t.Helper()
	var edges []node.Node
	for _, name := range b.stack.Edges() {
		edges = append(edges, b.node(name))
	}
	b.level(string(b.project.ID), edges...)
}

func (b *bed) newProject(collections ...string) wire.Project {
	b.t.Helper()
	slug := "e2e-" + strings.ToLower(rand.Text()[:12])
	p, err := b.api.CreateProject(b.t.Context(), b.account.Organization, b.t.Name(), slug)
	b.check(err)
	if len(collections) > 0 {
		var set []jsontext.Value
		for _, c := range collections {
			set = append(set, jsontext.Value(c))
		}
		_, err := b.api.PushSchema(b.t.Context(), p.Slug, set, false, "")
		b.check(err)
	}
	// Until an edge holds the project, core answers its reads, and may be ahead of it. Unpinning changes nothing, and waits.
	_, err = b.api.Unpin(b.t.Context(), p.Slug, 10*time.Second)
	b.check(err)
	return p
}

func (b *bed) node(name string) node.Node { return node.Node{Name: name, URL: b.stack.URL(name)} }

// nodes are core and both edges.
func (b *bed) nodes() []node.Node { return []node.Node{b.edge1, b.edge2, b.core} }

func (b *bed) edges() []node.Node { return []node.Node{b.edge1, b.edge2} }

// with is the nodes, reading with a key.
func with(key string, nodes ...node.Node) []node.Node {
	var out []node.Node
	for _, n := range nodes {
		n.Token = key
		out = append(out, n)
	}
	return out
}

func (b *bed) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// until waits until a condition holds, and fails the test with what was missing.
func (b *bed) until(look func(context.Context) error) {
	b.t.Helper()
	ctx, cancel := b.patient()
	defer cancel()
	b.check(node.Until(ctx, look))
}

// insist repeats a call until it is answered, and well.
func (b *bed) insist(call func() error) {
	b.t.Helper()
	ctx, cancel := b.patient()
	defer cancel()
	b.check(retry.Until(ctx, call))
}

// patient is for as long as anything may take.
func (b *bed) patient() (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(b.t.Context(), patience, fmt.Errorf("not within %s", patience))
}

// set opens a change set.
func (b *bed) set(title string) string {
	b.t.Helper()
	set, err := b.api.CreateChangeSet(b.t.Context(), b.project.Slug, title, "")
	b.check(err)
	return string(set.ID)
}

// create stages an entry in a set and returns its id.
func (b *bed) create(set, collection string, data any) string {
	b.t.Helper()
	made, err := b.api.CreateEntry(b.t.Context(), b.project.Slug, collection, client.NewEntry{Data: data, ChangeSetID: set})
	b.check(err)
	return string(made.Entry.ID)
}

// patch stages an edit in a set and returns its revision.
func (b *bed) patch(set, entry string, data any) string {
	b.t.Helper()
	made, err := b.api.PatchEntry(b.t.Context(), b.project.Slug, entry, client.Patch{Data: data, ChangeSetID: set})
	b.check(err)
	return string(made.Revision.ID)
}

// importPosts stages n new posts and returns their change set.
func (b *bed) importPosts(project string, n int, number func(i int) post) string {
	b.t.Helper()
	var lines bytes.Buffer
	for i := range n {
		b.check(json.MarshalWrite(&lines, map[string]post{"data": number(i)}))
		lines.WriteByte('\n')
	}
	made, err := b.api.ImportLines(b.t.Context(), project, "posts", &lines, client.ImportOptions{})
	b.check(err)
	if made.Created != n {
		b.t.Fatalf("the import made %d of %d posts", made.Created, n)
	}
	return string(*made.ChangeSet)
}

// publish publishes a set and returns the number of the release.
func (b *bed) publish(set string) uint64 {
	b.t.Helper()
	out, err := b.api.Publish(b.t.Context(), b.project.Slug, set)
	b.check(err)
	return *out.ChangeSet.ReleaseNumber
}

// await waits until nodes serve a release.
func (b *bed) await(release uint64, collection string, nodes ...node.Node) {
	b.t.Helper()
	ctx, cancel := b.patient()
	defer cancel()
	b.check(node.Await(ctx, nodes, b.project.Slug, collection, release))
}

// write publishes one change to an entry and returns the release.
func (b *bed) write(entry string, data any) uint64 {
	b.t.Helper()
	set := b.set("Edit")
	b.patch(set, entry, data)
	return b.publish(set)
}

func (b *bed) list(collection string) string { return node.List(b.project.Slug, collection) }

func (b *bed) single(collection, ref string) string {
	return node.Single(b.project.Slug, collection, ref)
}

// same asks nodes the same and returns what all of them answer.
func (b *bed) same(nodes []node.Node, path string, headers ...node.Header) node.Answer {
	b.t.Helper()
	answers, err := node.Ask(b.t.Context(), nodes, path, headers...)
	b.check(err)
	b.check(node.Same(answers))
	return answers[0]
}

// refused asks nodes the same, all of which must refuse with a status and a code.
func (b *bed) refused(nodes []node.Node, path string, status int, code string, headers ...node.Header) node.Problem {
	b.t.Helper()
	answer := b.same(nodes, path, headers...)
	problem, err := answer.Problem()
	b.check(err)
	if answer.Status != status || problem.Code != code {
		b.t.Fatalf("%s; not %d %s", answer, status, code)
	}
	return problem
}

// mint makes a key of the project.
func (b *bed) mint(scopes ...credential.Scope) wire.MintedKey {
	b.t.Helper()
	key, err := b.api.MintProjectKey(b.t.Context(), b.project.Slug, wire.NewKey{Label: b.t.Name(), Scopes: scopes})
	b.check(err)
	return key
}

// The collections of most tests.
const (
	posts = `{"name":"posts","kind":"collection","visibility":"public","titleField":"title","path":"/blog/{slug}","fields":{
		"title":{"type":"text","required":true},"slug":{"type":"slug","from":"title"},"body":{"type":"markdown"},
		"rating":{"type":"number"}}}`
	memos = `{"name":"memos","kind":"collection","visibility":"private","fields":{
		"title":{"type":"text","required":true},"slug":{"type":"slug","from":"title"}}}`
	home = `{"name":"home","kind":"singleton","visibility":"public","fields":{"headline":{"type":"text"}}}`
)

type post struct {
	Title string `json:"title"`
	Slug  string `json:"slug,omitempty"`
	Body  string `json:"body,omitempty"`
}

func postNumber(n int) post { return post{Title: fmt.Sprintf("Post number %d", n)} }
