package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/value"
)

// projectFileName is looked for in the working directory and above it.
const projectFileName = ".svc.json"

// projectFile is what a project file may say. It is committed with the project, so it never holds a token.
type projectFile struct {
	APIURL       string         `json:"apiUrl,omitzero"`
	Project      string         `json:"project,omitzero"`
	Organization string         `json:"organization,omitzero"`
	SchemaDir    string         `json:"schemaDir,omitzero"`
	ForgeURL     string         `json:"forgeUrl,omitzero"`
	Token        jsontext.Value `json:"token,omitzero"`
}

// userFile is what the user's own file may say.
type userFile struct {
	APIURL       string `json:"apiUrl"`
	Project      string `json:"project"`
	Organization string `json:"organization"`
	Token        string `json:"token"`
	ForgeURL     string `json:"forgeUrl"`
	ForgeToken   string `json:"forgeToken"`
}

// projectLayer reads the project file. root is its folder, or the working directory where there is none.
func (a *app) projectLayer() (l settingLayer, root string, err error) {
	l = settingLayer{from: layerProject}
	path := a.findProjectFile()
	if path == "" {
		return l, a.Dir, nil
	}
	l.file, root = path, filepath.Dir(path)
	var f projectFile
	if err := a.readFile(path, &f); err != nil {
		return l, root, err
	}
	if f.Token != nil {
		return l, root, misconfigured("put it into SVC_TOKEN"+a.inUserFile(" or into ", "")+", and revoke it if the file was shared",
			"%s holds a token, and the file is shared with the project", a.shown(path))
	}
	if f.SchemaDir != "" && !filepath.IsAbs(f.SchemaDir) {
		f.SchemaDir = filepath.Join(root, filepath.FromSlash(f.SchemaDir))
	}
	l.values = map[key]string{
		keyAPIURL: f.APIURL, keyProject: f.Project, keyOrganization: f.Organization, keySchemaDir: f.SchemaDir, keyForgeURL: f.ForgeURL,
	}
	return l, root, nil
}

func (a *app) findProjectFile() string {
	for dir := a.Dir; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, projectFileName)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// userLayer reads the user file, which need not be there.
func (a *app) userLayer() (settingLayer, error) {
	l := settingLayer{from: layerUser}
	path := a.userFilePath()
	if path == "" {
		return l, nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	l.file = path
	var f userFile
	if err := a.readFile(path, &f); err != nil {
		return l, err
	}
	l.values = map[key]string{
		keyAPIURL: f.APIURL, keyProject: f.Project, keyOrganization: f.Organization, keyToken: f.Token,
		keyForgeURL: f.ForgeURL, keyForgeToken: f.ForgeToken,
	}
	return l, nil
}

// userFilePath is where the user file would be; empty where the user has no home.
func (a *app) userFilePath() string {
	dir := a.Env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // as the XDG base directory specification has it
		home := a.Env("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "svc", "config.json")
}

// inUserFile names the user file between two texts; it is empty where there can be none.
func (a *app) inUserFile(before, after string) string {
	path := a.userFilePath()
	if path == "" {
		return ""
	}
	return before + a.shown(path) + after
}

func (a *app) readFile(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		f := fileError(a.shown(path), err)
		f.exit, f.code = ExitUsage, codeConfiguration
		return f
	}
	err = json.Unmarshal(value.TrimBOM(data), into, json.RejectUnknownMembers(true))
	var semantic *json.SemanticError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &semantic):
		return misconfigured("it takes "+membersOf(into), "%s: there is no setting %q", a.shown(path), semantic.JSONPointer.LastToken())
	case errors.As(err, &semantic):
		return misconfigured("it takes "+membersOf(into)+", each a string", "%s: %q is not a string", a.shown(path), semantic.JSONPointer.LastToken())
	}
	return misconfigured("", "%s is not well-formed JSON: %v", a.shown(path), err)
}

func membersOf(file any) string {
	if _, ok := file.(*projectFile); ok {
		return "apiUrl, project, organization, schemaDir and forgeUrl"
	}
	return "token, apiUrl, project, organization, forgeUrl and forgeToken"
}

// warnOfOpenFile warns where other users of the machine can read the user's token.
func (a *app) warnOfOpenFile(s settings) {
	if s.userFile == "" || runtime.GOOS == "windows" {
		return
	}
	info, err := os.Stat(s.userFile)
	if err != nil || info.Mode().Perm()&0o077 == 0 || !s.holdsToken {
		return
	}
	a.warn("%s holds a token and others may read it: chmod 600 %s", a.shown(s.userFile), a.shown(s.userFile))
}
