package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/problem"
)

// against runs a command against a server of its own.
func against(t *testing.T, handler http.HandlerFunc, args ...string) printed {
	server := httptest.NewServer(handler)
	defer server.Close()
	d := newDesk(t)
	d.env["SVC_API_URL"] = server.URL
	return d.svc(args...)
}

func TestEveryProblemHasItsExitCode(t *testing.T) {
	t.Parallel()
	want := map[fault.Code]Exit{
		fault.AuthenticationRequired: ExitCredential, fault.Forbidden: ExitCredential, fault.ValidationFailed: ExitValidation,
		fault.PublishValidationFailed: ExitValidation, fault.SchemaChangeDestructive: ExitValidation,
		fault.Unavailable: ExitUnavailable, fault.RateLimited: ExitUnavailable,
	}
	for _, code := range fault.Codes() {
		p := against(t, refusing(fault.New(code, "the detail")), "releases", "list")
		exit, known := want[code]
		if !known {
			exit = ExitFailed
		}
		if p.exit != exit || !strings.Contains(p.err, "error: the detail ["+string(code)+"]") {
			t.Errorf("%s: exit %d, want %d: %s", code, p.exit, exit, p.err)
		}
		if retry := strings.Contains(p.err, "hint: try again in 1s"); retry != (exit == ExitUnavailable) {
			t.Errorf("%s: says when to try again: %v", code, retry)
		}
		if server := strings.Contains(p.err, "request r1"); server != (problem.Status(code) >= 500) {
			t.Errorf("%s: names the request: %v", code, server)
		}
	}
}

func TestConflictsNameWhatIsInTheWay(t *testing.T) {
	set := string(id[content.ChangeSetID](4))
	conflict := &fault.Error{Code: fault.Conflict, Detail: "in several change sets", ChangeSetIDs: []string{set}}
	p := against(t, refusing(conflict), "releases", "list", "--json")
	if !strings.Contains(p.out, `"changeSetIds":["`+set+`"]`) || !strings.Contains(p.err, "change sets: "+set) {
		t.Errorf("%s%s", p.out, p.err)
	}
}

func TestAnswersOfSomethingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int
		exit   Exit
	}{{"a gateway", 502, ExitUnavailable}, {"a balancer", 503, ExitUnavailable}, {"a web site", 200, ExitFailed}, {"another web site", 404, ExitFailed}} {
		p := against(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, "<html>\x1b[2J")
		}, "whoami")
		if p.exit != c.exit || !strings.Contains(p.err, "The address comes from SVC_API_URL") || strings.Contains(p.err, "\x1b") {
			t.Errorf("%s: exit %d, %s", c.name, p.exit, p.err)
		}
	}
}

func TestAServiceThatCannotBeReached(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(nil)
	server.Close()
	d := newDesk(t)
	d.env["SVC_API_URL"] = server.URL
	p := d.svc("whoami", "--json")
	if p.exit != ExitUnavailable || !strings.Contains(p.err, "no answer from "+server.URL) || !strings.Contains(p.out, `"code":"UNREACHABLE"`) {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
	if p := d.svc("auth", "verify", "--json"); p.exit != ExitOK || !strings.Contains(p.out, `"credentialValid":null`) {
		t.Errorf("exit %d: %s", p.exit, p.out)
	}
}

// hangUp breaks the connection off after the request was read.
func hangUp(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.Close()
	}
}

// served is the address of a server of its own.
func served(t *testing.T, handler http.HandlerFunc) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// refusing answers every request with a problem.
func refusing(err error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		answer := problem.Render(err, "r1")
		for _, h := range answer.Headers {
			w.Header().Set(h.Name, h.Value)
		}
		w.WriteHeader(answer.Status)
		fmt.Fprintf(w, "%s", answer.Body)
	}
}

func TestAWriteWithoutAnAnswerSaysHowToFindOut(t *testing.T) {
	t.Parallel()
	set := string(id[content.ChangeSetID](4))
	p := against(t, hangUp(t), "change-sets", "publish", set, "--yes")
	if p.exit != ExitUnavailable || !strings.Contains(p.err, `hint: it may have been published: "svc change-sets show `+set+`" tells`) {
		t.Errorf("exit %d: %s", p.exit, p.err)
	}
	if p := against(t, hangUp(t), "releases", "list"); p.exit != ExitUnavailable || strings.Contains(p.err, "may have been") {
		t.Errorf("exit %d: %s", p.exit, p.err)
	}
}

func TestAnInterruptEndsAWait(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	env := map[string]string{"SVC_TOKEN": goodToken, "SVC_API_URL": server.URL}
	var errs strings.Builder
	exit := Run(ctx, World{Out: io.Discard, Err: &errs, Dir: t.TempDir(), Env: func(name string) string { return env[name] }}, []string{"whoami"})
	if exit != ExitFailed || !strings.Contains(errs.String(), "interrupted [INTERRUPTED]") {
		t.Errorf("exit %d: %s", exit, errs.String())
	}
}

func TestAnInterruptEndsAQuestion(t *testing.T) {
	t.Parallel()
	in, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	asked := writer(func(text []byte) { cancel() })
	a := &app{World: World{In: in, Err: asked, InTerminal: true, ErrTerminal: true, Env: func(string) string { return "" }}}
	if f := a.explain(a.confirm(ctx, "this")); f.Code != codeInterrupted {
		t.Errorf("%v", f)
	}
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

func TestManyFindingsAreCut(t *testing.T) {
	t.Parallel()
	f := &failure{Detail: "d", Code: "C", Errors: make([]issue, 1234)}
	p := &page{}
	f.show(p)
	if lines := strings.Count(p.String(), "\n"); lines != 22 || !strings.Contains(p.String(), "and 1,214 more; --json lists them all") {
		t.Errorf("%d lines: %s", lines, p.String())
	}
}
