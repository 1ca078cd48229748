package cli

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"svc/core/client"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// How long a request may take from the first byte to the last.
const (
	ordinary = 2 * time.Minute
	publish  = 10 * time.Minute
	noLimit  = 0 // an import goes on as long as there are rows
)

// connect makes a client of the API with the credential that the settings name.
func (a *app) connect(limit time.Duration) error {
	s, err := a.mustLoad()
	if err != nil {
		return err
	}
	if !s.token.set() {
		return &failure{
			exit: ExitCredential, Code: string(fault.AuthenticationRequired), Detail: "there is no token",
			Hint: `set SVC_TOKEN to an API key (svc_sk_…), or write {"token": "svc_sk_…"} into ` + userFileName + " (chmod 600)",
		}
	}
	if err := a.checkAPI(s); err != nil {
		return err
	}
	if err := a.checkToken(s); err != nil {
		return err
	}
	a.client = client.New(s.apiURL.value, s.token.value, &http.Client{Timeout: limit, Transport: a.Transport})
	return nil
}

// connectProject is connect for a command that works in a project.
func (a *app) connectProject(limit time.Duration) error {
	if err := a.connect(limit); err != nil {
		return err
	}
	project := a.settings.project
	if !project.set() {
		return misconfigured("set SVC_PROJECT, pass --project, or write {\"project\": \"…\"} into "+projectFileName, "no project is named")
	}
	if err := checkProject(project); err != nil {
		return err
	}
	a.noteProject()
	a.project = project.value
	return nil
}

// noteProject says which project counts where the environment names another one than the project file.
func (a *app) noteProject() {
	s := a.settings
	linked := strings.TrimSpace(s.inProject[keyProject])
	if s.project.from.From != layerEnvironment || linked == "" || linked == s.project.value {
		return
	}
	a.tell(func(p *page) {
		p.labelled(yellow, "project", s.project.value+" (from "+s.project.from.String()+"; "+a.shown(s.projectFile)+" says "+linked+")")
	})
}

// isProject tells what may be the slug or the id of a project.
func isProject(text string) bool {
	return schema.IsSlug(text) || content.IsID[content.ProjectID](text)
}

func checkProject(project setting) error {
	if !isProject(project.value) {
		return misconfigured("", "the project %q, from %s, is neither a slug nor an id (prj_…)", project.value, project.from)
	}
	return nil
}

func (a *app) checkAPI(s settings) error {
	if !s.apiURL.set() {
		return misconfigured("set SVC_API_URL, pass --api-url, or write {\"apiUrl\": \"https://…\"} into "+projectFileName, "no API address is named")
	}
	if !a.isAddress(s.apiURL.value, "the token") {
		return misconfigured("it looks like https://api.example.com", "the API address %q, from %s, is not one", s.apiURL.value, s.apiURL.from)
	}
	return nil
}

// isAddress tells what may be the address of an API, and warns where a token would go there for all to read.
func (a *app) isAddress(address, token string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	host := u.Hostname()
	if u.Scheme == "http" && host != "localhost" && !strings.HasSuffix(host, ".localhost") && !net.ParseIP(host).IsLoopback() {
		a.warn("%s goes to %s unencrypted", token, address)
	}
	return true
}

func (a *app) checkToken(s settings) error {
	if strings.ContainsFunc(s.token.value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return misconfigured("it looks like svc_sk_…, on one line", "the token from %s has characters that no token has", s.token.from)
	}
	// A project file comes with whatever was cloned: it must not direct the user's own token somewhere else.
	mine := s.inUser[keyAPIURL]
	if s.token.from.From == layerUser && s.apiURL.from.From == layerProject && mine != "" && strings.TrimRight(mine, "/") != s.apiURL.value {
		return misconfigured("if you trust that address, set SVC_API_URL or SVC_TOKEN",
			"the token in %s is for %s, but %s names %s", a.shown(s.userFile), mine, a.shown(s.projectFile), s.apiURL.value)
	}
	return nil
}
