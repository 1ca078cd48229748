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
	repository string // its address in the API
	token      string
	owner      string
	http       *http.Client
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
	repository := strings.TrimRight(s.forgeURL.value, "/") + "/repos/" + owner + "/" + repo
	return &forge{repository, s.forgeToken.value, owner, &http.Client{Timeout: ordinary, Transport: a.Transport}}, nil
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

// call sends in as JSON, unless it is nil, and decodes the answer into out.
func (f *forge) call(ctx context.Context, method, path string, in map[string]string, out any) error {
	var body io.Reader
	if in != nil {
		encoded, err := json.Marshal(in, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("encoding a request to the forge: %w", err)
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, f.repository+path, body)
	if err != nil {
		return fmt.Errorf("preparing a request to the forge: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+f.token)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
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
		return &failure{exit: ExitUnavailable, Code: codeUnreachable, Detail: "no answer from the forge: " + err.Error()}
	case response.StatusCode < 200 || response.StatusCode > 299:
		refused := failed("the forge answered %d to %s %s: %.500s", response.StatusCode, method, f.repository+path, answer)
		if response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden {
			refused.exit = ExitCredential
		}
		return refused
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return failed("the forge answered %s %s with something else than a forge does: %v", method, f.repository+path, err)
	}
	return nil
}
