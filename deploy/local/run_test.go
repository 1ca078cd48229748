package local_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/shared/wiretest"
)

// running is a stack that local.Run runs.
type running struct {
	events *journal
	stop   func() error
}

func run(t *testing.T, cfg local.Config, fill local.Filler) running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	events := &journal{news: make(chan struct{}, 1)}
	ended := make(chan error, 1)
	go func() { ended <- local.Run(ctx, cfg, fill, events) }()
	stop := func() error { cancel(); return <-ended }
	t.Cleanup(cancel)
	return running{events, stop}
}

func readSettings(t *testing.T, dir string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "local.env"))
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		settings[name] = value
	}
	return settings
}

func TestRunFillsAFreshStackOnceAndTellsWhereItIs(t *testing.T) {
	t.Parallel()
	bin, err := localtest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	cfg := local.Config{Dir: stackDir(t), Bin: bin, Seed: local.SeedDemo, Throwaway: true}
	filled := 0
	fill := func(_ context.Context, apiURL, organization, token string) (string, error) {
		filled++
		if status := whoami(t, apiURL, token); status != http.StatusOK {
			t.Errorf("the key of %s answers %d", organization, status)
		}
		return "magazine", nil
	}

	first := run(t, cfg, fill)
	first.events.await(t, "Ctrl-C")
	settings := readSettings(t, cfg.Dir)
	if settings["SVC_PROJECT"] != "magazine" || settings["SVC_ORGANIZATION"] != "local" {
		t.Errorf("settings %v", settings)
	}
	for _, name := range []string{"SVC_API_URL", "SVC_EDGE_URL", "SVC_EDGE2_URL"} {
		if status := whoami(t, settings[name], settings["SVC_TOKEN"]); status != http.StatusOK {
			t.Errorf("%s answers %d", name, status)
		}
	}

	// A second one says where the first is, without its secrets.
	second := run(t, cfg, fill)
	second.events.await(t, "already running")
	if err := second.stop(); err != nil || strings.Contains(second.events.String(), settings["SVC_TOKEN"]) {
		t.Errorf("a second run: %v\n%s", err, second.events)
	}

	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(cfg.Dir, "local.env")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the settings of a stopped stack: %v", err)
	}

	again := run(t, cfg, fill)
	again.events.await(t, "Ctrl-C")
	if token := readSettings(t, cfg.Dir)["SVC_TOKEN"]; token != settings["SVC_TOKEN"] || filled != 1 {
		t.Errorf("the second start has key %q instead of %q, filled %d times", token, settings["SVC_TOKEN"], filled)
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
}

func TestRunGivesUpWhenItCannotFillTheStack(t *testing.T) {
	t.Parallel()
	bin, err := localtest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	cfg := local.Config{Dir: stackDir(t), Bin: bin, Seed: local.SeedDemo, Throwaway: true}
	broken := errors.New("no ink")
	err = local.Run(t.Context(), cfg, func(context.Context, string, string, string) (string, error) { return "", broken }, &journal{})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if left := childrenOf(t, cfg.Dir); len(left) > 0 {
		t.Errorf("%v still run", left)
	}
}

func TestAnEdgeCanJoinLeaveAndLoseItsDisk(t *testing.T) {
	t.Parallel()
	stack := localtest.Stack(t, local.Config{Edges: 1})
	account, err := stack.Account(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	url, err := stack.AddEdge(t.Context(), "edge-late")
	if err != nil {
		t.Fatal(err)
	}
	if status := whoami(t, url, account.Token); status != http.StatusOK {
		t.Errorf("the late edge answers %d", status)
	}
	if err := stack.ClearPart("edge-late"); err == nil {
		t.Error("the directory of a running edge was deleted")
	}
	if err := stack.StopPart("edge-late"); err != nil {
		t.Fatal(err)
	}
	if err := stack.ClearPart("edge-late"); err != nil {
		t.Fatal(err)
	}
	if err := stack.StartPart(t.Context(), "edge-late"); err != nil {
		t.Fatal(err)
	}
	if err := stack.RemoveEdge("edge-late"); err != nil {
		t.Fatal(err)
	}
	if _, err := stack.Pid("edge-late"); err == nil {
		t.Error("a removed edge runs")
	}
	if _, err := stack.AddEdge(t.Context(), "edge-late"); err != nil {
		t.Errorf("coming back: %v", err)
	}
}

func whoami(t *testing.T, base, token string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/v1/auth/whoami", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := wiretest.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}
