package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
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

// forge finds the forge of a remote; it is nil where none is configured.
func (a *app) forge(ctx context.Context, r *repository, remote string) (*forge, error) {
	s := a.settings
	if !s.forgeURL.set() || !s.forgeToken.set() {
		return nil, nil
	}
	if err := a.checkForge(s); err != nil {
		return nil, err
	}
	address, err := r.git(ctx, "remote", "get-url", "--push", remote)
	if err != nil {
		return nil, err
	}
	owner, repo, ok := ownerAndRepo(address)
	if !ok {
		if u, err := url.Parse(address); err == nil {
			address = u.Redacted()
		}
		return nil, failed("the address of the remote %s names no owner and repository: %s", remote, address)
	}
	client := &http.Client{Timeout: ordinary, Transport: a.transport()}
	return &forge{strings.TrimRight(s.forgeURL.value, "/"), s.forgeToken.value, owner, repo, client}, nil
}

func (a *app) checkForge(s settings) error {
	if !a.isAddress(s.forgeURL.value, "the token of the forge") {
		return misconfigured("it looks like https://git.example.com/api/v3", "the address of the forge %q, from %s, is not one", s.forgeURL.value, s.forgeURL.from)
	}
	// As with the API: a project file must not direct the user's own token somewhere else.
	if s.forgeToken.from.From == layerUser && s.forgeURL.from.From == layerProject &&
		strings.TrimRight(s.inUser[keyForgeURL], "/") != strings.TrimRight(s.forgeURL.value, "/") {
		return misconfigured("if you trust that address, write it as forgeUrl beside the token, or set SVC_FORGE_URL",
			"the forge token in %s is not for %s, which %s names", a.shown(s.userFile), s.forgeURL.value, a.shown(s.projectFile))
	}
	return nil
}

// remoteAddress matches git@host:owner/repo.git, https://host/owner/repo, and a folder; in the path, more may be before these.
var remoteAddress = regexp.MustCompile(`^(?:\w[\w+.-]*://[^/]*/|[^/:]+:)?/?(?:[^/:]+/)*([\w-][\w.-]*)/([\w.-]*?[\w-][\w.-]*?)(?:\.git)?/*$`)

func ownerAndRepo(remote string) (owner, repo string, ok bool) {
	if m := remoteAddress.FindStringSubmatch(remote); m != nil {
		return m[1], m[2], true
	}
	return "", "", false
}

// request opens a pull request, unless the branch was there before and has one.
func (f *forge) request(ctx context.Context, out *openedRequest, base string, files []pulledFile) error {
	if out.BranchOutcome == branchFound {
		query := url.Values{"state": {"open"}, "head": {f.owner + ":" + out.Branch}, "per_page": {"100"}}
		var all []pullRequest
		if err := f.call(ctx, http.MethodGet, "/pulls?"+query.Encode(), nil, &all); err != nil {
			return err
		}
		for _, pr := range all { // some forges pass over head
			if pr.Head.Ref == out.Branch {
				out.Outcome, out.Number, out.URL = requestFound, &pr.Number, &pr.URL
				return nil
			}
		}
	}
	var pr pullRequest
	err := f.call(ctx, http.MethodPost, "/pulls", map[string]string{
		"title": requestTitle, "head": out.Branch, "base": base,
		"body": "The schemas of the project differ from those in this repository. `svc schema pull` wrote what is deployed:\n\n" + changeList(files, "`"),
	}, &pr)
	if err == nil {
		out.Outcome, out.Number, out.URL = requestOpened, &pr.Number, &pr.URL
	}
	return err
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
	var answer []byte
	response, err := f.http.Do(request)
	if err == nil {
		defer response.Body.Close()
		answer, err = io.ReadAll(io.LimitReader(response.Body, maxForgeAnswer))
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &failure{exit: ExitUnavailable, code: codeUnreachable, detail: "no answer from the forge: " + err.Error()}
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
	messages := []string{http.StatusText(response.StatusCode)}
	if err := json.Unmarshal(body, &said); err == nil && said.Message != "" {
		messages[0] = said.Message
	}
	for _, e := range said.Errors {
		messages = append(messages, e.Message)
	}
	out := failed("the forge answered %d: %s", response.StatusCode, strings.Join(messages, "; "))
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		out.exit, out.hint = ExitCredential, "may the token of SVC_FORGE_TOKEN open pull requests in "+f.owner+"/"+f.repo+"?"
	case http.StatusNotFound:
		out.hint = "is there a repository " + f.owner + "/" + f.repo + " at " + f.api + ", and may the token see it?"
	}
	return out
}
