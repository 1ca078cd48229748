package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"svc/shared/value"
)

// key names a setting, as the files write it.
type key string

const (
	keyToken        key = "token"
	keyAPIURL       key = "apiUrl"
	keyProject      key = "project"
	keyOrganization key = "organization"
	keySchemaDir    key = "schemaDir"
	keyForgeURL     key = "forgeUrl"
	keyForgeToken   key = "forgeToken"
)

// What the two files may say. The project file is committed with the project, so it never holds a token.
const (
	projectKeys = "apiUrl, project, organization, schemaDir, forgeUrl"
	userKeys    = "token, apiUrl, project, organization, forgeUrl, forgeToken"
)

// variables are the environment's names of the settings (interface, "Authentication").
var variables = map[key]string{
	keyToken: "SVC_TOKEN", keyAPIURL: "SVC_API_URL", keyProject: "SVC_PROJECT", keyOrganization: "SVC_ORGANIZATION",
	keyForgeURL: "SVC_FORGE_URL", keyForgeToken: "SVC_FORGE_TOKEN",
}

// layer is a place that settings come from.
type layer string

const (
	layerFlag        layer = "flag"
	layerEnvironment layer = "environment"
	layerProject     layer = "project_file"
	layerUser        layer = "user_file"
	layerDefault     layer = "default"
)

// source is where a setting comes from; Name is the flag, the variable or the file.
type source struct {
	From layer  `json:"from"`
	Name string `json:"name,omitempty"`
}

func (s source) String() string {
	if s.From == layerDefault {
		return "the default"
	}
	return s.Name
}

type setting struct {
	value string
	from  source
}

func (s setting) set() bool { return s.value != "" }

// settings are what a command works with. What is not set anywhere is empty.
type settings struct {
	token, apiURL, project, organization, schemaDir setting
	// forgeURL and forgeToken are for the API of the forge that pull requests are opened at.
	forgeURL, forgeToken setting

	// projectFile and userFile are the files that were found; empty where there is none.
	projectFile, userFile string
	// inProject and inUser are what they say, whatever counts.
	inProject, inUser map[key]string
}

// defaultSchemaDir holds the schemas where nothing says otherwise, below the project file's folder.
const defaultSchemaDir = "svc/schema"

// mustLoad finds the settings: each in the first of the flags, the environment, the project file and the user file that has it.
// What could be found is there even where something else is wrong.
func (a *app) mustLoad() (settings, error) {
	if a.loaded {
		return a.settings, nil
	}
	s := settings{projectFile: a.findProjectFile(), userFile: a.userFilePath()}
	if _, err := os.Stat(s.userFile); errors.Is(err, fs.ErrNotExist) {
		s.userFile = ""
	}
	var projectErr, userErr error
	s.inProject, projectErr = a.readSettings(s.projectFile, projectKeys)
	s.inUser, userErr = a.readSettings(s.userFile, userKeys)
	root := a.Dir
	if s.projectFile != "" {
		root = filepath.Dir(s.projectFile)
	}
	if dir := s.inProject[keySchemaDir]; dir != "" && !filepath.IsAbs(dir) {
		s.inProject[keySchemaDir] = filepath.Join(root, filepath.FromSlash(dir))
	}
	find := func(k key, flag, given string) setting {
		for _, at := range []setting{
			{given, source{layerFlag, flag}}, {a.Env(variables[k]), source{layerEnvironment, variables[k]}},
			{s.inProject[k], source{layerProject, s.projectFile}}, {s.inUser[k], source{layerUser, s.userFile}},
		} {
			if at.value = strings.TrimSpace(at.value); at.set() {
				return at
			}
		}
		return setting{}
	}
	s.token = find(keyToken, "--token", a.flags.token)
	s.apiURL = find(keyAPIURL, "--api-url", a.flags.apiURL)
	s.apiURL.value = strings.TrimRight(s.apiURL.value, "/")
	s.project = find(keyProject, "--project", a.flags.project)
	s.organization = find(keyOrganization, "--organization", a.flags.organization)
	s.forgeURL, s.forgeToken = find(keyForgeURL, "", ""), find(keyForgeToken, "", "")
	if s.schemaDir = find(keySchemaDir, "--dir", a.flags.dir); !s.schemaDir.set() {
		s.schemaDir = setting{filepath.Join(root, filepath.FromSlash(defaultSchemaDir)), source{From: layerDefault}}
	}
	s.schemaDir.value = a.absolute(s.schemaDir.value)
	err := cmp.Or(projectErr, userErr)
	if a.settings, a.loaded = s, err == nil; a.loaded {
		a.warnOfOpenFile(s)
	}
	return s, err
}

// projectFileName is looked for in the working directory and above it.
const projectFileName = ".svc.json"

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

// userFileName is what people are told of the user file; $XDG_CONFIG_HOME takes the place of ~/.config.
const userFileName = "~/.config/svc/config.json"

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

// readSettings reads a file of settings; no path is no file.
func (a *app) readSettings(path string, takes string) (map[key]string, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, misconfigured("", "%v", err)
	}
	var says map[key]string
	err = json.Unmarshal(value.TrimBOM(data), &says)
	if err != nil {
		return nil, misconfigured("it is a JSON object with "+takes+", each a string", "%s cannot be read: %v", a.shown(path), err)
	}
	for _, k := range slices.Sorted(maps.Keys(says)) {
		if !slices.Contains(strings.Split(takes, ", "), string(k)) {
			hint := "it takes " + takes
			if k == keyToken {
				hint = "the file is shared with the project: put it into SVC_TOKEN or " + userFileName + ", and revoke it if the file was shared"
			}
			return nil, misconfigured(hint, "%s: there is no setting %q", a.shown(path), k)
		}
	}
	return says, nil
}

// warnOfOpenFile warns where other users of the machine can read the user's token.
func (a *app) warnOfOpenFile(s settings) {
	if runtime.GOOS == "windows" || s.inUser[keyToken]+s.inUser[keyForgeToken] == "" {
		return
	}
	if info, err := os.Stat(s.userFile); err == nil && info.Mode().Perm()&0o077 != 0 {
		a.warn("%s holds a token and others may read it: chmod 600 %s", a.shown(s.userFile), a.shown(s.userFile))
	}
}
