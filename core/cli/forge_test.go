package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
)

const forgeToken = "forge_secret"

// standIn answers as a forge does for one repository.
type standIn struct {
	mu     sync.Mutex
	open   []map[string]any
	asked  []string // "METHOD /path?query"
	opened map[string]string
	refuse func(r *http.Request) (int, string) // what to answer instead; 0 is nothing
}

func newForge(t *testing.T) (*standIn, string) {
	f := &standIn{}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, server.URL + "/api/v3"
}

func (f *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r.Method+" "+r.URL.RequestURI())
	if f.refuse != nil {
		if status, body := f.refuse(r); status != 0 {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return
		}
	}
	if r.Header.Get("Authorization") != "Bearer "+forgeToken {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"message":"Bad credentials"}`)
		return
	}
	var answer any
	switch r.Method + " " + r.URL.Path {
	case "GET /api/v3/repos/press/site/pulls":
		answer = f.open
	case "POST /api/v3/repos/press/site/pulls":
		f.opened = map[string]string{}
		if err := json.UnmarshalRead(r.Body, &f.opened); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		pr := map[string]any{
			"number": len(f.open) + 7, "html_url": "https://forge.example/press/site/pull/7", "state": "open",
			"head": map[string]any{"ref": f.opened["head"]},
		}
		f.open = append(f.open, pr)
		w.WriteHeader(http.StatusCreated)
		answer = pr
	default:
		w.WriteHeader(http.StatusNotFound)
		answer = map[string]any{"message": "Not Found"}
	}
	if err := json.MarshalWrite(w, answer); err != nil {
		panic(err)
	}
}

// workTree is a desk whose folder is the work tree of a repository with a remote.
type workTree struct {
	*desk
	forge  *standIn
	remote string
}

// newWorkTree has the schema tags in its folder, committed and pushed to main; the service has these deployed. It is a copy
// of a repository that is made once, as git takes long.
func newWorkTree(t *testing.T, deployed ...string) *workTree {
	t.Helper()
	w := &workTree{desk: newDesk(t)}
	var api string
	w.forge, api = newForge(t)
	w.env["SVC_FORGE_URL"], w.env["SVC_FORGE_TOKEN"] = api, forgeToken
	w.remote = filepath.Join(t.TempDir(), "press", "site.git")
	w.deploy(deployed...)
	made := os.DirFS(filepath.Join(repositories, "made"))
	madeOnce.Do(func() { makeRepositories(t) })
	if err := errors.Join(os.CopyFS(w.dir, made), os.CopyFS(w.remote, os.DirFS(filepath.Join(repositories, "remote")))); err != nil {
		t.Fatal(err)
	}
	w.write(".git/config", w.read(".git/config")+"[remote \"origin\"]\n\turl = "+w.remote+"\n")
	return w
}

// repositories is a folder for those that work trees are copied from.
var (
	repositories string
	madeOnce     sync.Once
)

func makeRepositories(t *testing.T) {
	w := &workTree{desk: &desk{t: t, dir: filepath.Join(repositories, "made")}, remote: filepath.Join(repositories, "remote")}
	w.write("svc/schema/tags.ts", typed(t, tagsJSON))
	w.write("README.md", "A site.\n")
	w.git("init", "--quiet", "--bare", "--initial-branch=main", "--template=", w.remote)
	w.git("init", "--quiet", "--initial-branch=main", "--template=")
	w.git("config", "user.name", "Editor")
	w.git("config", "user.email", "editor@example.com")
	w.git("add", ".")
	w.git("commit", "--quiet", "-m", "Start")
	w.git("remote", "add", "origin", w.remote)
	w.git("push", "--quiet", "--set-upstream", "origin", "main")
	w.git("config", "--unset", "remote.origin.url")
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

func (w *workTree) git(args ...string) string {
	w.t.Helper()
	return git(w.t, w.dir, args...)
}

// state is all that a command must leave as it is: what is checked out, the index, the files, the refs and the work trees.
func (w *workTree) state() string {
	w.t.Helper()
	return strings.Join([]string{
		w.git("status", "--porcelain=v2", "--branch", "--untracked-files=all"), w.git("for-each-ref", "refs/heads", "refs/stash"), w.git("worktree", "list"),
		fmt.Sprint(w.files("svc/schema")),
	}, "\n--\n")
}

// branches are those of the remote beside main.
func (w *workTree) branches() []string {
	w.t.Helper()
	var names []string
	for _, name := range strings.Fields(git(w.t, w.remote, "for-each-ref", "--format=%(refname:short)", "refs/heads")) {
		if name != "main" {
			names = append(names, name)
		}
	}
	return names
}

func (w *workTree) pull(args ...string) printed {
	w.t.Helper()
	return w.svc(append([]string{"schema", "pull", "--open-pr"}, args...)...)
}
