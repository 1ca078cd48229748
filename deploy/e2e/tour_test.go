package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/bench/node"
	"svc/deploy/demo"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The commands of README.md and of the tour are run as they are printed, against the demo, and once more against what they leave. The
// tour shows that no edge is in trouble, so it has a deployment of its own.
func TestEveryCommandOfTheTourWorks(t *testing.T) {
	b := newPrivateBed(t, local.Config{})
	target := demo.Target{URL: b.stack.URL("core"), Organization: b.account.Organization, Token: b.account.Token}
	if err := demo.Seed(t.Context(), target); err != nil {
		t.Fatalf("fill it with the demo: %v", err)
	}
	awaitDemo(t, b.stack)
	environment := []string{
		"SVC_API_URL=" + b.stack.URL("core"), "SVC_EDGE_URL=" + b.stack.URL("edge-1"), "SVC_EDGE2_URL=" + b.stack.URL("edge-2"),
		"SVC_ORGANIZATION=" + b.account.Organization, "SVC_PROJECT=" + demo.ProjectSlug, "SVC_TOKEN=" + b.account.Token,
	}
	for range 2 { // its commands can be given again
		wantTour(t, runTour(t, tour(t), environment))
	}
}

func wantTour(t *testing.T, output string) {
	t.Helper()
	for _, want := range []string{
		`"fields":{"title":"Buses at night"}`,                    // what README publishes
		`"fields":{"title":"Was der Nebel mit dem Hafen macht"}`, // from W on, in German
		`"fields":{"title":"The hinge of a book"}`,               // of a desk
		`"fields":{"title":"A jar that wants feeding"}`,          // a search
		`"desk":{"id":"ent_`,                                     // an included entry
		`<h2 id=\"what-feeding-means\">What feeding means</h2>`,  // rendered Markdown
		`{"data":{"referencedBy":[{"id":"ent_`,                   // what refers to a desk
		`the collection has no field \"author\"`,                 // a refusal
		`"canonicalSlug":"night-buses"`,                          // a slug of before
		"  articles    changed    night-buses ",                  // a search of drafts
		`"code":"AUTHENTICATION_REQUIRED"`,                       // a private collection without a key
		`{"valid":true,"errors":[],"warnings":[]}`,               // the change set
		`"fields":{"title":"The other timetable"}`,               // edge 2, right after the publish
		": title\n", // what an edit of the command line staged
		`closed "Revert of release `,
		"the preview token has expired or was revoked",
		`event: release`, // the same edge, live
		"In sync: the schemas deployed to magazine are those of the folder.",
		"content error: categories ent_", // a schema that content does not fit
		"exit code 4",                    // and a push would be refused
		"deployed 3 changes to my-site-", // what init writes
	} {
		if !strings.Contains(output, want) {
			t.Errorf("the tour did not show %s", want)
		}
	}
	if strings.Contains(output, `"code":"INTERNAL"`) {
		t.Error("the tour met an internal error")
	}
	if t.Failed() {
		t.Log(output)
	}
}

// awaitDemo waits until the edges hold all of the demo.
func awaitDemo(t *testing.T, stack *local.Stack) {
	t.Helper()
	content, err := demo.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := &bed{t: t, stack: stack}
	ctx, cancel := b.patient()
	defer cancel()
	edges := []node.Node{b.node("edge-1"), b.node("edge-2")}
	b.check(node.Await(ctx, edges, demo.ProjectSlug, "articles", uint64(len(content.Releases))))
}

// The schema that the tour shows is one of the demo.
func TestTheSchemaOfTheTourIsThatOfTheDemo(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/TOUR.md")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("../demo/schema/categories.ts")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("```ts\n"+string(schema)+"```\n")) {
		t.Errorf("the tour does not show deploy/demo/schema/categories.ts as it is:\n%s", schema)
	}
}

// tour is the shell blocks of both pages as one script.
func tour(t *testing.T) string {
	t.Helper()
	var script strings.Builder
	script.WriteString("set -eu\n")
	for _, page := range []string{"../../README.md", "../docs/TOUR.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
			// The settings come from the environment here.
			script.WriteString(strings.ReplaceAll(block[1], "set -a; . var/local.env; set +a\n", ""))
		}
	}
	return script.String()
}

// runTour runs the script in a folder that has the programs in bin, as a checkout after `make run` has.
func runTour(t *testing.T, script string, environment []string) string {
	t.Helper()
	programs, err := localtest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for link, to := range map[string]string{"bin": programs, "deploy": "../../deploy"} {
		path, err := filepath.Abs(to)
		if err == nil {
			err = os.Symlink(path, filepath.Join(dir, link))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), environment...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		t.Fatalf("the tour stopped: %v\n%s", err, output.String())
	}
	return output.String()
}
