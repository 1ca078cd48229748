package cli

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// status is what the settings say, without asking the service.
type status struct {
	CredentialPresent bool           `json:"credentialPresent"`
	APIURL            *string        `json:"apiUrl"`
	Project           *string        `json:"project"`
	Organization      *string        `json:"organization"`
	SchemaDir         string         `json:"schemaDir"`
	ProjectFile       *string        `json:"projectFile"`
	UserFile          *string        `json:"userFile"`
	Sources           map[key]source `json:"sources"`
}

func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the settings and where they come from, without a request",
	}
	return a.does(cmd, func(context.Context, []string) error {
		s, err := a.mustLoad()
		if err != nil {
			return err
		}
		a.noteProject()
		return a.answer(statusOf(s), func(p *page) { a.showStatus(p, s) })
	})
}

func statusOf(s settings) status {
	out := status{
		CredentialPresent: s.token.set(), APIURL: orNull(s.apiURL.value), Project: orNull(s.project.value),
		Organization: orNull(s.organization.value), SchemaDir: s.schemaDir.value,
		ProjectFile: orNull(s.projectFile), UserFile: orNull(s.userFile), Sources: map[key]source{},
	}
	for k, v := range map[key]setting{
		keyToken: s.token, keyAPIURL: s.apiURL, keyProject: s.project, keyOrganization: s.organization, keySchemaDir: s.schemaDir,
	} {
		if v.set() {
			out.Sources[k] = v.from
		}
	}
	return out
}

func (a *app) showStatus(p *page, s settings) {
	var t table
	t.row(plain, "SETTING", "VALUE", "FROM")
	row := func(name string, value setting, shown, how string) {
		if value.set() {
			t.row(plain, name, shown, a.shownSource(value.from))
		} else {
			t.row(yellow, name, "not set", "set it with "+how)
		}
	}
	row("credential", s.token, maskToken(s.token.value), "SVC_TOKEN or "+userFileName)
	row("API", s.apiURL, s.apiURL.value, "SVC_API_URL, --api-url or "+projectFileName)
	row("organization", s.organization, s.organization.value, "SVC_ORGANIZATION, --organization or "+projectFileName)
	row("project", s.project, s.project.value, "SVC_PROJECT, --project or "+projectFileName)
	row("schema folder", s.schemaDir, a.shown(s.schemaDir.value), "")
	p.table(t)
}

func (a *app) shownSource(s source) string {
	if s.From == layerProject || s.From == layerUser {
		return a.shown(s.Name)
	}
	return s.String()
}

// maskToken shows of a token only what names it: svc_sk_<publicId>.
func maskToken(token string) string {
	parts := strings.SplitN(token, "_", 4)
	if len(parts) < 4 || parts[0] != "svc" {
		return "(hidden)"
	}
	return strings.Join(parts[:3], "_") + "_…"
}

// build is what the binary knows of itself.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisBuild() build {
	b := build{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "version", Short: "Print the version of this program"}
	return a.does(cmd, func(context.Context, []string) error {
		b := thisBuild()
		return a.answer(b, func(p *page) {
			line := "svc " + b.Version
			if b.Revision != "" && b.Version == "devel" {
				line += " " + b.Revision[:min(12, len(b.Revision))]
			}
			p.line("%s (%s, %s)", line, b.Go, b.Platform)
		})
	})
}
