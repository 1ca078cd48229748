package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// status is what svc status --json prints.
func (d *desk) status(args ...string) status {
	d.t.Helper()
	p := d.svc(append([]string{"status", "--json"}, args...)...)
	var out struct {
		Version int    `json:"version"`
		Data    status `json:"data"`
	}
	if err := json.Unmarshal([]byte(p.out), &out, json.RejectUnknownMembers(true)); err != nil || p.exit != ExitOK {
		d.t.Fatalf("exit %d, %v: %s%s", p.exit, err, p.out, p.err)
	}
	return out.Data
}

// Each step takes the strongest layer away, and the next one shows.
func TestSettingsComeFromTheFirstLayerThatHasThem(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.env = map[string]string{"HOME": filepath.Join(d.dir, "home"), "SVC_PROJECT": "of-environment", "SVC_TOKEN": " svc_sk_a_b\n"}
	d.write(".svc.json", `{"apiUrl": "https://of-project.example/", "project": "of-file", "schemaDir": "deep/schemas"}`)
	d.write("home/.config/svc/config.json", `{"apiUrl": "https://of-user.example", "project": "of-user", "organization": "of-user", "token": "svc_sk_u_s"}`)

	s := d.status("--project", "of-flag")
	if *s.Project != "of-flag" || s.Sources[keyProject] != (source{layerFlag, "--project"}) {
		t.Errorf("a flag is strongest: %s, %v", *s.Project, s.Sources)
	}
	s = d.status()
	if *s.Project != "of-environment" || s.Sources[keyProject] != (source{layerEnvironment, "SVC_PROJECT"}) {
		t.Errorf("then the environment: %s, %v", *s.Project, s.Sources)
	}
	delete(d.env, "SVC_PROJECT")
	s = d.status()
	if *s.Project != "of-file" || *s.APIURL != "https://of-project.example" || s.Sources[keyAPIURL] != (source{layerProject, "{dir}/.svc.json"}) {
		t.Errorf("then the project file: %+v", s)
	}
	if *s.Organization != "of-user" || s.Sources[keyOrganization].From != layerUser || s.Sources[keyToken].From != layerEnvironment {
		t.Errorf("each setting for itself: %+v", s)
	}
	if s.SchemaDir != "{dir}/deep/schemas" {
		t.Errorf("schemaDir counts from the project file: %s", s.SchemaDir)
	}
	if err := os.Remove(filepath.Join(d.dir, ".svc.json")); err != nil {
		t.Fatal(err)
	}
	delete(d.env, "SVC_TOKEN")
	s = d.status()
	if *s.Project != "of-user" || *s.APIURL != "https://of-user.example" || s.Sources[keyToken] != (source{layerUser, "{dir}/home/.config/svc/config.json"}) {
		t.Errorf("last the user file: %+v", s)
	}
}

func TestTheProjectFileIsFoundAboveTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write(".svc.json", `{"project": "above"}`)
	d.write("a/b/c.txt", "")
	delete(d.env, "SVC_PROJECT")
	d.dir = filepath.Join(d.dir, "a", "b")
	s := d.status()
	if *s.Project != "above" || filepath.Base(s.SchemaDir) != "schema" || strings.Contains(s.SchemaDir, "{dir}") {
		t.Errorf("%s, schemas beside the project file: %s", *s.Project, s.SchemaDir)
	}
}

func TestTheUserFileFollowsXDG(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("xdg/svc/config.json", `{"organization": "of-xdg"}`)
	d.env["XDG_CONFIG_HOME"] = filepath.Join(d.dir, "xdg")
	if s := d.status(); *s.Organization != "of-xdg" {
		t.Errorf("%+v", s)
	}
	d.env["XDG_CONFIG_HOME"] = "xdg" // relative paths do not count
	if s := d.status(); s.Organization != nil {
		t.Errorf("%+v", s)
	}
}

// A variable that is still set from yesterday does not take the place of the folder's project without a word.
func TestAnotherProjectThanTheFoldersIsSaid(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("svc/schema/tags.ts", typed(t, tagsJSON))
	const note = "project demo (from SVC_PROJECT; .svc.json says my-site)\n"
	for _, tt := range []struct {
		name, file, project, flag string
		want                      string
	}{
		{"both", `{"project": "my-site"}`, "demo", "", note},
		{"the same", `{"project": "demo"}`, "demo", "", ""},
		{"the file names none", `{}`, "demo", "", ""},
		{"the file alone", `{"project": "demo"}`, "", "", ""},
		{"a flag, which is typed", `{"project": "my-site"}`, "other", "demo", ""},
	} {
		d.write(".svc.json", tt.file)
		d.env["SVC_PROJECT"] = tt.project
		for _, args := range [][]string{{"status"}, {"schema", "diff"}, {"schema", "push"}, {"schema", "pull"}, {"releases", "list", "--json"}} {
			if tt.flag != "" {
				args = append(args, "--project", tt.flag)
			}
			if p := d.svc(args...); p.exit != ExitOK || p.err != tt.want {
				t.Errorf("%s, %v: exit %d: %s", tt.name, args, p.exit, p.err)
			}
		}
	}
}

func TestAFileMayBeginWithAByteOrderMark(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.env = map[string]string{"HOME": filepath.Join(d.dir, "home")}
	d.write(".svc.json", "\uFEFF"+`{"project": "of-file"}`)
	d.write("home/.config/svc/config.json", "\uFEFF"+`{"organization": "of-user"}`)
	if s := d.status(); *s.Project != "of-file" || *s.Organization != "of-user" {
		t.Errorf("%+v", s)
	}
	d.write(".svc.json", "\uFEFF\uFEFF"+`{}`)
	if p := d.svc("status"); p.exit != ExitUsage || !strings.Contains(p.err, "cannot be read: jsontext") {
		t.Errorf("two of them: exit %d, %s", p.exit, p.err)
	}
}

func TestWrongFilesAreRefusedInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{".svc.json", `{"token": "svc_sk_a_b"}`, "the file is shared with the project"},
		{".svc.json", `{"apiURL": "https://x"}`, `there is no setting "apiURL"`},
		{".svc.json", `{"project": 7}`, `"/project"`},
		{".svc.json", `{`, "cannot be read: jsontext"},
		{"home/.config/svc/config.json", `{"schemaDir": "x"}`, `there is no setting "schemaDir"`},
	} {
		d := newDesk(t)
		d.write(c.file, c.text)
		for _, args := range [][]string{{"status"}, {"whoami"}, {"schema", "inspect"}} {
			if p := d.svc(args...); p.exit != ExitUsage || !strings.Contains(p.err, c.want) || !strings.Contains(p.err, c.file) {
				t.Errorf("%s %s, %v: exit %d, %s", c.file, c.text, args, p.exit, p.err)
			}
		}
		if p := d.svc("auth", "verify", "--json"); p.exit != ExitOK || !strings.Contains(p.out, `"credentialPresent":true,"credentialValid":null`) {
			t.Errorf("auth verify always exits with 0: %d, %s", p.exit, p.out)
		}
		if p := d.svc("version"); p.exit != ExitOK {
			t.Errorf("version needs no settings: exit %d, %s", p.exit, p.err)
		}
	}
}

func TestATokenThatOthersMayReadIsWarnedOf(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const name = "home/.config/svc/config.json"
	for _, c := range []struct {
		text string
		mode os.FileMode
		warn bool
	}{
		{`{"token": "svc_sk_a_b"}`, 0o644, true}, {`{"token": "svc_sk_a_b"}`, 0o600, false}, {`{"project": "p"}`, 0o644, false},
	} {
		d.write(name, c.text)
		if err := os.Chmod(filepath.Join(d.dir, name), c.mode); err != nil {
			t.Fatal(err)
		}
		if p := d.svc("status"); p.exit != ExitOK || strings.Contains(p.err, "chmod 600 home/.config/svc/config.json") != c.warn || strings.Count(p.err, "warning:") > 1 {
			t.Errorf("%s, %v: %s", c.text, c.mode, p.err)
		}
	}
}

// A file that came with a clone must not get the user's token sent to the one who wrote it.
func TestAProjectFileDoesNotRedirectTheUsersToken(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.env = map[string]string{"HOME": filepath.Join(d.dir, "home")}
	d.write(".svc.json", `{"apiUrl": "`+d.api+`"}`)
	d.write("home/.config/svc/config.json", `{"apiUrl": "https://mine.example", "token": "`+goodToken+`"}`)
	p := d.svc("whoami")
	if p.exit != ExitUsage || !strings.Contains(p.err, "is for https://mine.example") || len(d.bodies) != 0 {
		t.Errorf("exit %d, %d requests: %s", p.exit, len(d.bodies), p.err)
	}
	d.env["SVC_API_URL"] = d.api // the user says so
	if p := d.svc("whoami"); p.exit != ExitOK {
		t.Errorf("exit %d: %s", p.exit, p.err)
	}
}

func TestATokenInTheClearIsWarnedOf(t *testing.T) {
	t.Parallel()
	for url, warn := range map[string]bool{
		"http://api.example.com": true, "https://api.example.com": false, "http://127.0.0.1:1": false, "http://localhost:1": false, "http://[::1]:1": false,
	} {
		d := newDesk(t)
		a := &app{World: World{Dir: d.dir, Err: new(strings.Builder), Env: func(string) string { return "" }}}
		err := a.checkAPI(settings{apiURL: setting{value: url}})
		if err != nil || strings.Contains(a.Err.(*strings.Builder).String(), "unencrypted") != warn {
			t.Errorf("%s: %v, %s", url, err, a.Err)
		}
	}
}

func TestAddressesAreChecked(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"api.example.com", "ftp://x", "https://", "https://user:pass@x", "https://x?a=b", "https://x#y", "http://[", "/v1"} {
		d := newDesk(t)
		if p := d.svc("whoami", "--api-url", url); p.exit != ExitUsage || !strings.Contains(p.err, "--api-url") {
			t.Errorf("%s: exit %d, %s", url, p.exit, p.err)
		}
	}
}

func TestMalformedTokensAreNotSent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, token := range []string{"svc_sk_a b", "svc_sk_ä_b", "a\nb"} {
		d.env["SVC_TOKEN"] = token
		if p := d.svc("whoami"); p.exit != ExitUsage || strings.Contains(p.err, token) || !strings.Contains(p.err, "SVC_TOKEN") {
			t.Errorf("%q: exit %d, %s", token, p.exit, p.err)
		}
	}
}
