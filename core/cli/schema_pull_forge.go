package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
)

// forge is the repository at a forge with a REST API in the style of GitHub, which others speak as well.
type forge struct {
	api, token  string
	owner, repo string
	http        *http.Client
}

// pullRequest is what the forge says about one.
type pullRequest struct {
	Number int64  `json:"number"`
	URL    string `json:"html_url"`
	Head   struct {
		Ref string `json:"ref"`
	} `json:"head"`
}

// forge finds the forge of a remote. Where none is configured it says what is missing.
func (a *app) forge(ctx context.Context, r *repository, remote string) (f *forge, missing string, err error) {
	s := a.settings
	switch {
	case !s.forgeURL.set():
		return nil, "no forge is configured: open it by hand, or set SVC_FORGE_URL (or forgeUrl in " + projectFileName + ") and SVC_FORGE_TOKEN", nil
	case !s.forgeToken.set():
		return nil, "there is no token for the forge: open it by hand, or set SVC_FORGE_TOKEN", nil
	}
	if err := a.checkForge(s); err != nil {
		return nil, "", err
	}
	address, err := r.git(ctx, "remote", "get-url", "--push", remote)
	if err != nil {
		return nil, "", err
	}
	owner, repo, ok := ownerAndRepo(address)
	if !ok {
		return nil, "", failed("the address of the remote %s names no owner and repository: %s", remote, withoutSecrets(address))
	}
	client := &http.Client{Timeout: ordinary, Transport: a.transport()}
	return &forge{strings.TrimRight(s.forgeURL.value, "/"), s.forgeToken.value, owner, repo, client}, "", nil
}

func (a *app) checkForge(s settings) error {
	u, err := url.Parse(s.forgeURL.value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return misconfigured("it looks like https://git.example.com/api/v3", "the address of the forge %q, from %s, is not one", s.forgeURL.value, s.forgeURL.from)
	}
	if strings.ContainsFunc(s.forgeToken.value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return misconfigured("", "the token of the forge, from %s, has characters that no token has", s.forgeToken.from)
	}
	// As with the API: a project file must not direct the user's own token somewhere else.
	if s.forgeToken.from.From == layerUser && s.forgeURL.from.From == layerProject &&
		strings.TrimRight(s.forgeTokenFor, "/") != strings.TrimRight(s.forgeURL.value, "/") {
		return misconfigured("if you trust that address, write it as forgeUrl beside the token, or set SVC_FORGE_URL",
			"the forge token in %s is not for %s, which %s names", a.shown(s.userFile), s.forgeURL.value, a.shown(s.projectFile))
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		a.warn("the token of the forge goes to %s unencrypted", s.forgeURL.value)
	}
	return nil
}

// ownerAndRepo reads the last two parts of the path of a remote: git@host:owner/repo.git, https://host/owner/repo, or a
// folder.
func ownerAndRepo(remote string) (owner, repo string, ok bool) {
	path := remote
	if scheme, rest, isURL := strings.Cut(remote, "://"); isURL {
		if scheme == "" {
			return "", "", false
		}
		_, path, _ = strings.Cut(rest, "/")
	} else if host, rest, isSCP := strings.Cut(remote, ":"); isSCP && !strings.Contains(host, "/") {
		path = rest
	}
	path = strings.TrimSuffix(strings.TrimRight(path, "/"), ".git")
	rest, repo := cutLast(path)
	_, owner = cutLast(rest)
	fits := func(part string) bool {
		return part != "" && part != "." && part != ".." && !strings.ContainsAny(part, "?#%\\ \t\r\n\x00")
	}
	return owner, repo, fits(owner) && fits(repo)
}

func cutLast(path string) (before, last string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// withoutSecrets is the address of a remote as it may be shown.
func withoutSecrets(remote string) string {
	if u, err := url.Parse(remote); err == nil && u.User != nil {
		return u.Redacted()
	}
	return remote
}

// openRequest finds the open pull request of the branch, or opens one.
func (a *app) openRequest(ctx context.Context, r *repository, f *forge, out *openedRequest, files []pulledFile) error {
	base, err := r.base(ctx)
	if err != nil {
		return err
	}
	return a.during(ctx, "asking the forge for a pull request", nil, func(ctx context.Context) error {
		pr, err := f.find(ctx, out.Branch)
		out.Outcome = requestFound
		if err == nil && pr == nil {
			out.Outcome = requestOpened
			pr, err = f.open(ctx, base, out.Branch, files)
		}
		if err != nil {
			return err
		}
		out.Number, out.URL, out.Hint = &pr.Number, &pr.URL, ""
		return nil
	})
}

// find returns the open pull request of a branch, or nil.
func (f *forge) find(ctx context.Context, branch string) (*pullRequest, error) {
	query := url.Values{"state": {"open"}, "head": {f.owner + ":" + branch}, "per_page": {"100"}}
	var all []pullRequest
	if err := f.call(ctx, http.MethodGet, "/pulls?"+query.Encode(), nil, &all); err != nil {
		return nil, err
	}
	for i := range all { // some forges pass over head
		if all[i].Head.Ref == branch {
			return &all[i], nil
		}
	}
	return nil, nil
}

// open opens a pull request against base, or against the default branch where base is empty.
func (f *forge) open(ctx context.Context, base, branch string, files []pulledFile) (*pullRequest, error) {
	if base == "" {
		var repository struct {
			DefaultBranch string `json:"default_branch"`
		}
		if err := f.call(ctx, http.MethodGet, "", nil, &repository); err != nil {
			return nil, err
		}
		base = repository.DefaultBranch
	}
	var opened pullRequest
	err := f.call(ctx, http.MethodPost, "/pulls", map[string]string{
		"title": requestTitle, "head": branch, "base": base,
		"body": "The schemas of the project differ from those in this repository. `svc schema pull` wrote what is deployed:\n\n" + changeList(files, "`", "`"),
	}, &opened)
	return &opened, err
}

// maxForgeAnswer bounds what is read of an answer.
const maxForgeAnswer = 8 << 20

func (f *forge) call(ctx context.Context, method, path string, in map[string]string, out any) error {
	var body io.Reader
	if in != nil {
		encoded, err := json.Marshal(in, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("encoding a request to the forge: %w", err)
		}
		body = bytes.NewReader(encoded)
	}
	address := f.api + "/repos/" + url.PathEscape(f.owner) + "/" + url.PathEscape(f.repo) + path
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return fmt.Errorf("preparing a request to the forge: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+f.token)
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := f.http.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &failure{exit: ExitUnavailable, code: codeUnreachable, detail: "no answer from the forge: " + err.Error()}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxForgeAnswer))
	if err != nil {
		return &failure{exit: ExitUnavailable, code: codeUnreachable, detail: "no whole answer from the forge: " + err.Error()}
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return f.refusal(response, answer)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return failed("the forge answered %s %s with something else than a forge does: %v", method, address, err)
	}
	return nil
}

// refusal is the failure that a forge answered with; it explains itself in "message" and in "errors".
func (f *forge) refusal(response *http.Response, body []byte) error {
	var said struct {
		Message string `json:"message"`
		Errors  []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	detail := fmt.Sprintf("the forge answered %d", response.StatusCode)
	if err := json.Unmarshal(body, &said); err == nil {
		for _, e := range said.Errors {
			said.Message += "; " + e.Message
		}
		if message := strings.Trim(said.Message, "; "); message != "" {
			detail += ": " + message
		}
	}
	out := failed("%s", detail)
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		out.exit, out.hint = ExitCredential, "may the token of SVC_FORGE_TOKEN open pull requests in "+f.owner+"/"+f.repo+"?"
	case http.StatusNotFound:
		out.hint = "is there a repository " + f.owner + "/" + f.repo + " at " + f.api + ", and may the token see it?"
	}
	return out
}
