package dsl

import (
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-sourcemap/sourcemap"
)

// loadFunction is the global function that a bundle calls with one function for each file, which evaluates it.
const loadFunction = "__svc_load"

// bundle is one program made of all files.
type bundle struct {
	code    string
	source  *sourcemap.Consumer
	imports imports
}

// bundleFiles compiles the files into one program, or tells what is wrong with them.
func bundleFiles(files []source) (b bundle, faults, warnings []Issue, err error) {
	r := newResolver(files)
	result := build(r, files)
	b.imports = r.imports
	for _, output := range result.OutputFiles {
		if !strings.HasSuffix(output.Path, ".map") {
			b.code = string(output.Contents)
		} else if b.source, err = sourcemap.Parse("", output.Contents); err != nil {
			return bundle{}, nil, nil, fmt.Errorf("read the source map of the bundle: %w", err)
		}
	}
	return b, r.issuesOf(result.Errors), r.issuesOf(result.Warnings), nil
}

func build(r *resolver, files []source) api.BuildResult {
	asErrors := map[string]api.LogLevel{}
	for id := range refused {
		asErrors[id] = api.LogLevelError
	}
	return api.Build(api.BuildOptions{
		Stdin:         &api.StdinOptions{Contents: entryText(files), Sourcefile: "entry", Loader: api.LoaderJS},
		Bundle:        true,
		Write:         false,
		Outfile:       "/bundle.js",
		AbsWorkingDir: "/",
		Format:        api.FormatIIFE,
		Platform:      api.PlatformNeutral,
		Target:        api.ES2017,
		Sourcemap:     api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		TsconfigRaw:   "{}",
		LegalComments: api.LegalCommentsNone,
		LogLevel:      api.LogLevelSilent,
		LogOverride:   asErrors,
		Plugins:       []api.Plugin{{Name: "folder", Setup: r.setup}},
	})
}

// entryText is the program that hands over every file, to be evaluated one after the other.
func entryText(files []source) string {
	var b strings.Builder
	b.WriteString(loadFunction + "([\n")
	for _, f := range files {
		quoted, _ := jsontext.AppendQuote(nil, f.path) //nolint:errcheck // where it is no UTF-8, no file has that name
		fmt.Fprintf(&b, "() => require(%s),\n", quoted)
	}
	b.WriteString("])")
	return b.String()
}
