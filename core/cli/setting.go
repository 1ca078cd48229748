package cli

import "strings"

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

// variables are the environment's names of the settings (interface, "Authentication").
var variables = map[key]string{
	keyToken: "SVC_TOKEN", keyAPIURL: "SVC_API_URL", keyProject: "SVC_PROJECT", keyOrganization: "SVC_ORGANIZATION",
	keyForgeURL: "SVC_FORGE_URL", keyForgeToken: "SVC_FORGE_TOKEN",
}

// layer is a place that settings come from. The strongest is asked first.
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
	// linked is the project that the project file names, whichever counts.
	linked string
	// holdsToken tells that the user file has a token, tokenFor which API it names beside it, and forgeTokenFor which forge.
	holdsToken              bool
	tokenFor, forgeTokenFor string
}

// find takes the first of the layers that has a setting.
func find(k key, layers []settingLayer) setting {
	for _, l := range layers {
		if v := strings.TrimSpace(l.values[k]); v != "" {
			from := source{l.from, l.file}
			if l.names[k] != "" {
				from.Name = l.names[k]
			}
			return setting{v, from}
		}
	}
	return setting{}
}

type settingLayer struct {
	from   layer
	file   string
	names  map[key]string
	values map[key]string
}
