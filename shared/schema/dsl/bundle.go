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

// bundle is one program made of all files that can be compiled.
type bundle struct {
	code      string
	lines     []string // of code
	positions *sourcemap.Consumer
	files     []string // in the order of the functions
	imports   imports

	// mappings say where all of it comes from, in its order; sources are the files, "" for what is none.
	mappings []mapping
	sources  []string
}

// bundleFiles compiles the files into one program. Files with faults, and those that import them, are left out of it,
// so that the rest can still be checked.
func bundleFiles(files []source, missing []string) (b bundle, faults, warnings []Issue, err error) {
	r, broken := newResolver(files), map[string]bool{}
	for _, name := range missing {
		r.addMissing(name)
		broken[name] = true
	}
	entries := r.sound(files, broken)
	for {
		result := build(r, entries)
		warnings = r.issuesOf(result.Warnings)
		before := len(broken)
		for _, fault := range r.issuesOf(result.Errors) {
			faults = append(faults, fault)
			broken[fault.File] = true
		}
		sound := r.sound(files, broken)
		switch {
		case len(result.Errors) == 0 && len(sound) == len(entries):
			b, inexact, err := newBundle(result.OutputFiles, entries, files)
			b.imports = r.imports
			return b, append(faults, inexact...), warnings, err
		case len(result.Errors) > 0 && len(broken) == before || broken[""]:
			return bundle{}, faults, warnings, nil
		}
		entries = sound
	}
}

func build(r *resolver, entries []string) api.BuildResult {
	return api.Build(api.BuildOptions{
		Stdin:         &api.StdinOptions{Contents: entryText(entries), Sourcefile: "entry", Loader: api.LoaderJS},
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
		LogOverride:   refusedWarnings,
		Plugins:       []api.Plugin{{Name: "folder", Setup: r.setup}},
	})
}

// refusedWarnings are what the bundler only warns of, and what cannot be meant in a schema file.
var refusedWarnings = map[string]api.LogLevel{
	"assign-to-constant":           api.LogLevelError,
	"assign-to-import":             api.LogLevelError,
	"bigint":                       api.LogLevelError,
	"call-import-namespace":        api.LogLevelError,
	"commonjs-variable-in-esm":     api.LogLevelError,
	"direct-eval":                  api.LogLevelError,
	"duplicate-object-key":         api.LogLevelError,
	"empty-import-meta":            api.LogLevelError,
	"import-is-undefined":          api.LogLevelError,
	"indirect-require":             api.LogLevelError,
	"require-resolve-not-external": api.LogLevelError,
	"unsupported-dynamic-import":   api.LogLevelError,
	"unsupported-require-call":     api.LogLevelError,
}

// entryText is the program that hands over every file, to be evaluated one after the other.
func entryText(entries []string) string {
	var b strings.Builder
	b.WriteString(loadFunction + "([\n")
	for _, name := range entries {
		quoted, _ := jsontext.AppendQuote(nil, name) //nolint:errcheck // where it is no UTF-8, no file has that name
		fmt.Fprintf(&b, "() => require(%s),\n", quoted)
	}
	b.WriteString("])")
	return b.String()
}

// newBundle reads what the bundler made, and tells of numbers in the files that became other ones.
func newBundle(outputs []api.OutputFile, entries []string, files []source) (bundle, []Issue, error) {
	b := bundle{files: entries}
	var err error
	for _, output := range outputs {
		if !strings.HasSuffix(output.Path, ".map") {
			b.code = letPass(string(output.Contents))
			continue
		}
		if b.positions, err = sourcemap.Parse("", output.Contents); err != nil {
			return bundle{}, nil, fmt.Errorf("read the source map of the bundle: %w", err)
		}
		if b.sources, b.mappings, err = readMappings(output.Contents); err != nil {
			return bundle{}, nil, err
		}
	}
	b.lines = strings.Split(b.code, "\n")
	return b, b.inexactNumbers(files), nil
}
