package cli

import (
	"path/filepath"
	"strings"
)

// defaultSchemaDir holds the schemas where nothing says otherwise, below the project file's folder.
const defaultSchemaDir = "svc/schema"

// load finds the settings. What could be found is there even where something else is wrong.
func (a *app) load() (settings, error) {
	layers := []settingLayer{a.flagLayer(), a.environmentLayer()}
	project, root, err := a.projectLayer()
	user, userErr := a.userLayer()
	if err == nil {
		err = userErr
	}
	layers = append(layers, project, user)
	s := settings{
		token: find(keyToken, layers), apiURL: find(keyAPIURL, layers), project: find(keyProject, layers),
		organization: find(keyOrganization, layers), schemaDir: find(keySchemaDir, layers),
		forgeURL: find(keyForgeURL, layers), forgeToken: find(keyForgeToken, layers),
		projectFile: project.file, userFile: user.file, linked: project.values[keyProject], tokenFor: user.values[keyAPIURL],
		holdsToken: user.values[keyToken] != "" || user.values[keyForgeToken] != "", forgeTokenFor: user.values[keyForgeURL],
	}
	s.apiURL.value = strings.TrimRight(s.apiURL.value, "/")
	if !s.schemaDir.set() {
		s.schemaDir = setting{filepath.Join(root, filepath.FromSlash(defaultSchemaDir)), source{From: layerDefault}}
	}
	a.settings = s
	return s, err
}

// mustLoad is load for a command that needs correct settings; it warns once.
func (a *app) mustLoad() (settings, error) {
	if a.loaded {
		return a.settings, nil
	}
	s, err := a.load()
	if err != nil {
		return s, err
	}
	a.loaded = true
	a.warnOfOpenFile(s)
	return s, nil
}

func (a *app) flagLayer() settingLayer {
	dir := a.flags.dir
	if dir != "" {
		dir = a.absolute(dir)
	}
	return settingLayer{
		from: layerFlag,
		names: map[key]string{
			keyToken: "--token", keyAPIURL: "--api-url", keyProject: "--project", keyOrganization: "--organization",
			keySchemaDir: "--dir",
		},
		values: map[key]string{
			keyToken: a.flags.token, keyAPIURL: a.flags.apiURL, keyProject: a.flags.project,
			keyOrganization: a.flags.organization, keySchemaDir: dir,
		},
	}
}

func (a *app) environmentLayer() settingLayer {
	values := map[key]string{}
	for k, name := range variables {
		values[k] = a.Env(name)
	}
	return settingLayer{from: layerEnvironment, names: variables, values: values}
}

// absolute is a path that counts from the working directory.
func (a *app) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.Dir, path)
}

// shown is a path as a person would write it: from the working directory where it lies below, or from home.
func (a *app) shown(path string) string {
	if rel, err := filepath.Rel(a.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	if home := a.Env("HOME"); home != "" {
		if rel, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join("~", rel)
		}
	}
	return path
}
