package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/problem"
)

const (
	authorsFile = `import { collection, slug, text } from "svc/schema";

export const authors = collection({
  name: "authors",
  label: "Authors",
  visibility: "public",
  titleField: "name",
  fields: { name: text({ required: true, maxLength: 80 }), slug: slug() },
});
`
	postsFile = `import {
  asset, block, blocks, collection, item, list, markdown, number, object, reference, rule, slug, text,
} from "svc/schema";

export default collection({
  name: "posts",
  label: "Posts",
  visibility: "public",
  titleField: "title",
  path: "/blog/{slug}",
  policy: [rule.required(["body"])],
  fields: {
    title: text({ required: true, localized: true }),
    slug: slug({ from: "title" }),
    body: markdown(),
    author: reference({ to: "authors" }),
    status: text({ enum: ["draft", "final"], default: "draft" }),
    tags: list({ of: item.text({ maxLength: 20 }), maxItems: 8 }),
    rating: number({ integer: true, min: 1, max: 5 }),
    seo: object({ fields: { description: text({ maxLength: 160 }) } }),
    parts: blocks({ allowed: [block({ key: "quote", fields: { text: markdown() } })] }),
    cover: asset({ allowed: ["image/*"], multiple: true }),
  },
});
`
	pagesFile = `import { collection, text } from "svc/schema";
export default collection({ name: "pages", fields: { title: text() } });
`
)

// withSchemas puts schema folders on the desk: one that is right, one that comes after it, and some that are not right.
func withSchemas(d *desk) {
	d.write("svc/schema/posts.ts", postsFile)
	d.write("svc/schema/more/people.mjs", authorsFile)
	d.write("svc/schema/.hidden.ts", "{")
	d.write("svc/schema/node_modules/x.js", "{")
	d.write("svc/schema/README.md", "not a schema")
	d.write("svc/schema/posts.d.ts", "not one either")
	d.write("next/posts.ts", strings.Replace(postsFile, `body: markdown()`, `body: text(), lead: text({ required: true })`, 1))
	d.write("next/authors.ts", authorsFile)
	d.write("next/pages.js", pagesFile)
	d.write("twice/a.ts", pagesFile)
	d.write("twice/b.ts", pagesFile)
	d.write("wrong/a.ts", `import { collection, text } from "svc/schema";

export default collection({
  name: "a",
  fields: {
    x: text({ maxLenght: 3 }),
    y: { type: "what" },
  },
});
`)
	d.write("wrong/b.ts", `import { collection, number, reference } from "svc/schema";
const b = collection({ name: "b", fields: {} });
export default [b, collection({ name: "c", fields: { to: number({ min: 5, max: 1 }), who: reference({ to: "nobody" }) } })];
`)
	d.write("broken/a.ts", "export default collection({\n  name: \"a\"\n  fields: {},\n});\n")
	d.write("broken/b.ts", "import fs from \"node:fs\";\nexport default fs;\n")
	d.write("void/a.ts", "export default [];\n")
	if err := os.Mkdir(filepath.Join(d.dir, "empty"), 0o755); err != nil {
		d.t.Fatal(err)
	}
}

// withContent puts rows on the desk, and change sets into the service: the second is the fuller one.
func withContent(d *desk) {
	d.write("rows.jsonl", strings.Repeat("{\"data\":{\"title\":\"A\"}}\n\n", 1200))
	d.write("schemas/x.ts", "export {};")
	seven := uint64(7)
	d.sets = []wire.ChangeSet{
		{ID: id[content.ChangeSetID](2), Title: "Spring issue, with 春の号 and everything that belongs to it", Description: "All of it.", Status: "open", CreatedAt: stamp(2)},
		{ID: id[content.ChangeSetID](1), Title: "Working changes", Status: "open", CreatedAt: stamp(1)},
		{ID: id[content.ChangeSetID](3), Title: "Typo\x1b[31m\nfixed", Status: "published", ReleaseNumber: &seven, CreatedAt: stamp(0)},
	}
	for n, operation := range content.Operations() {
		i := wire.Item{
			ResourceType: "entry", ResourceID: string(id[content.EntryID](byte(n))), Operation: operation, Collection: "posts",
			Slug: new("post-" + string(operation)), TargetRevisionID: new(id[content.RevisionID](byte(n))), ChangeSummary: "Why " + string(operation),
		}
		if operation != content.OperationCreate {
			i.BaseRevisionID = new(id[content.RevisionID](byte(n)))
		}
		d.items[string(d.sets[0].ID)] = append(d.items[string(d.sets[0].ID)], i)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	newDesk(t).script("settings")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	newDesk(t).script("usage")
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	newDesk(t).script("empty")
}

func TestSchema(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withSchemas(d)
	d.script("schema")
	const pushed = "POST /v1/projects/demo/schema/push"
	if !strings.Contains(d.bodies[pushed], `"allowDestructive":true`) || strings.Index(d.bodies[pushed], `"name":"authors"`) > strings.Index(d.bodies[pushed], `"name":"posts"`) {
		t.Errorf("a push sends the flag, and the set by name: %s", d.bodies[pushed])
	}
}

func TestAPushSendsItsSummaryAndTheCanonicalFormOfTheFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("svc/schema/pages.js", pagesFile)
	if p := d.svc("schema", "push", "--summary", "Pages, to begin with"); p.exit != ExitOK {
		t.Fatalf("exit %d, %s", p.exit, p.err)
	}
	const want = `{"collections":[{"name":"pages","fields":{"title":{"type":"text"}}}],"summary":"Pages, to begin with"}`
	if got := d.bodies["POST /v1/projects/demo/schema/push"]; got != want {
		t.Errorf("sent %s", got)
	}
}

func TestContentThatDoesNotFit(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withSchemas(d)
	for n := range byte(22) {
		e := wire.ContentError{Entry: id[content.EntryID](n), Collection: "posts", Revision: id[content.RevisionID](n), Path: "fields.title", Code: "required", Message: "is required"}
		if n%2 == 0 {
			e.Slug = "post-" + strconv.Itoa(int(n))
		}
		if n%3 == 0 {
			e.Title = `My "post"`
		}
		d.misfits = append(d.misfits, e)
	}
	d.script("misfits")
}

func TestContentErrorsDoNotHideThatContentIsLost(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.deploy(tagsJSON)
	d.write("svc/schema/pages.js", pagesFile)
	d.misfits = []wire.ContentError{{Entry: id[content.EntryID](1), Collection: "pages", Path: "fields.title", Code: "required", Message: "is required"}}
	p := d.svc("schema", "diff")
	const want = "2 changes to demo: 1 safe, 1 destructive; a push would be refused: 1 content error; a push needs --allow-destructive\n"
	if p.exit != ExitValidation || !strings.HasSuffix(p.out, want) {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withContent(d)
	d.locales = []string{"en", "de"}
	d.script("content")
	const joined = "POST /v1/projects/demo/collections/posts/import?changeSetId=chs_00000000000000000000000002&changeSummary=A+summary"
	if rows := strings.Count(d.bodies[joined], "\n"); rows != 2400 {
		t.Errorf("an import sends its rows and says where they go: %d lines", rows)
	}
}

func TestPreviews(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withContent(d)
	d.script("previews")
}

func TestRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withContent(d)
	d.rowFault = "is required"
	d.errors = []issue{
		{Issue: problem.Issue{ResourceType: "entry", ResourceID: string(id[content.EntryID](1)), Path: "fields.author", Code: "reference_unpublished", Message: "refers to an entry that is not published"}},
		{Issue: problem.Issue{ResourceType: "entry", ResourceID: string(id[content.EntryID](2)), Path: "", Code: "STALE_REVISION", Message: "was published since"}},
		{Issue: problem.Issue{ResourceType: "entry", ResourceID: string(id[content.EntryID](3)), Path: "fields.title", Code: "required", Message: "is required"}},
	}
	items := d.items[string(d.sets[0].ID)]
	items[1].Collection, items[1].Slug, items[3].Slug = "home", nil, nil
	d.script("refused")
}

// A refusal names another command only where that tells or does more.
func TestARefusedPublishSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const set = "chs_00000000000000000000000002"
	for _, test := range []struct {
		found int
		code  string
		hint  string
	}{
		{maxShown, "required", ""},
		{maxShown + 1, "required", `"svc change-sets validate ` + set + `" lists everything that is wrong` + "\n"},
		{1, "STALE_REVISION", `"svc change-sets rebase ` + set + `" replays the edits on what is published` + "\n"},
		{3, "STALE_REVISION", `"svc change-sets rebase ` + set + `" replays the edits on what is published; posts/post-unpublish is staged to be unpublished, which a rebase does not replay; ` + unstageHint(set, string(id[content.EntryID](2))) + "\n"},
		{4, "STALE_REVISION", `"svc change-sets rebase ` + set + `" replays the edits on what is published; 2 are staged to be unpublished or deleted, ` +
			`which a rebase does not replay; "svc change-sets unstage ` + set + ` RESOURCE" takes each out` + "\n"},
	} {
		d := newDesk(t)
		withContent(d)
		for n := range test.found {
			d.errors = append(d.errors, issue{Issue: problem.Issue{ResourceType: "entry", ResourceID: string(id[content.EntryID](byte(n))), Code: test.code, Message: "is wrong"}})
		}
		_, hint, _ := strings.Cut(d.svc("change-sets", "publish", set, "--yes").err, "hint: ")
		if hint != test.hint {
			t.Errorf("%d of %s: %q", test.found, test.code, hint)
		}
	}
}

func TestEdgesOfWhichNothingIsKnown(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.noFleet = fault.New(fault.Unavailable, "the reports of edges cannot be read")
	p := d.svc("edges")
	for _, part := range []string{"cannot be read [UNAVAILABLE]", "hint: try again in "} {
		if p.exit != ExitUnavailable || !strings.Contains(p.err, part) {
			t.Errorf("exit %d, and not %q in: %s", p.exit, part, p.err)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var pages strings.Builder
	newDesk(t).eachHelp(func(command string, p printed) {
		pages.WriteString("$ " + command + " --help\n" + p.out + "\n")
	})
	golden(t, "help.golden", pages.String())
}

// eachHelp asks for the help of every command.
func (d *desk) eachHelp(look func(command string, p printed)) {
	d.t.Helper()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		p := d.svc(args...)
		if p.exit != ExitOK || p.err != "" {
			d.t.Errorf("%v: exit %d, %s", args, p.exit, p.err)
		}
		look(cmd.CommandPath(), p)
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				visit(sub)
			}
		}
	}
	root := (&app{}).command()
	root.InitDefaultCompletionCmd()
	visit(root)
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update accepts):\n%s", file, got)
	}
}
