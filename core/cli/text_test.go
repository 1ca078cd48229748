package cli

import (
	"strings"
	"testing"
)

func TestCleanLeavesNothingThatSteersATerminal(t *testing.T) {
	t.Parallel()
	got := clean("a\x1b[31mb\nc\x07d\u202Ee\u009bf\xffg")
	if got != "a�[31mb c�d�e�f�g" {
		t.Errorf("%q", got)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := count(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for ms, want := range map[float64]string{0: "0s", 3.21: "3.2ms", 4210: "4.21s", 90_500: "1m30.5s"} {
		if got := lagText(ms); got != want {
			t.Errorf("%v: %s", ms, got)
		}
	}
}

func TestTokensAreMasked(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]string{"svc_sk_pub_se_cret": "svc_sk_pub_…", "svc_sk_secret": "(hidden)", "ghp_a_b_c": "(hidden)"} {
		if got := maskToken(token); got != want {
			t.Errorf("%s: %s", token, got)
		}
	}
}

func TestShellsCanComplete(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if p := d.svc("__complete", "schema", ""); p.exit != ExitOK || !strings.Contains(p.out, "push\t") {
		t.Errorf("exit %d, %s%s", p.exit, p.out, p.err)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if p := d.svc("completion", shell); p.exit != ExitOK || !strings.Contains(p.out, "svc") {
			t.Errorf("%s: exit %d, %s", shell, p.exit, p.err)
		}
	}
}
