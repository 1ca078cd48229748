package dsl

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-sourcemap/sourcemap"
)

const (
	// loadFunction is the global function that a bundle calls with one function for each file, which evaluates it.
	loadFunction = "__svc_load"
	// failedName is the global value that a file throws which failed before and is imported again.
	failedName = "__svc_failed"
)

// bundle is one program made of all files that can be compiled.
type bundle struct {
	code    string
	source  *sourcemap.Consumer
	files   []string // in the order of the functions
	imports imports
}

// bundleFiles compiles the files into one program. Files with faults, and those that import them, are left out of it,
// so that the rest can still be checked. Missing files are in the folder too, but cannot be read.
func bundleFiles(files []source, missing []string) (b bundle, faults, warnings []Issue, err error) {
	r, broken := newResolver(files, missing), map[string]bool{}
	for _, name := range missing {
		broken[name] = true
	}
	for {
		entries := r.sound(files, broken)
		result := build(r, entries)
		warnings = r.issuesOf(result.Warnings)
		before := len(broken)
		for _, fault := range r.issuesOf(result.Errors) {
			faults = append(faults, fault)
			broken[fault.File] = true
		}
		switch {
		case len(result.Errors) == 0 && len(r.sound(files, broken)) == len(entries):
			b, err := newBundle(result.OutputFiles)
			b.files, b.imports = entries, r.imports
			return b, faults, warnings, err
		case len(result.Errors) > 0 && len(broken) == before || broken[""]:
			return bundle{}, faults, warnings, nil
		}
	}
}

func build(r *resolver, entries []string) api.BuildResult {
	asErrors := map[string]api.LogLevel{}
	for id := range refused {
		asErrors[id] = api.LogLevelError
	}
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
		LogOverride:   asErrors,
		Plugins:       []api.Plugin{{Name: "folder", Setup: r.setup}},
	})
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

// newBundle reads what the bundler made.
func newBundle(outputs []api.OutputFile) (b bundle, err error) {
	for _, output := range outputs {
		if !strings.HasSuffix(output.Path, ".map") {
			b.code = rethrow.ReplaceAllString(string(output.Contents), passOn)
		} else if b.source, err = sourcemap.Parse("", output.Contents); err != nil {
			return bundle{}, fmt.Errorf("read the source map of the bundle: %w", err)
		}
	}
	return b, nil
}

// The bundler has every file evaluated once by a function that catches what the file throws, and throws it again. Then
// the engine no longer knows where that was. rethrow finds this function, whose names may be others in each bundle, and
// passOn is one, of as many lines, that catches nothing.
var rethrow = regexp.MustCompile(strings.NewReplacer("NAME", `([\w$]+)`, "\n", `\n`).Replace(
	`\(NAME, NAME, NAME\) => function NAME\(\) \{
    if \(NAME\) throw NAME\[0\];
    try \{
      (return NAME && \(NAME = \(0, NAME\[NAME\(NAME\)\[0\]\]\)\(NAME = 0\)\)), NAME;
    \} catch \(NAME\) \{
      throw NAME = \[NAME\], NAME;
    \}`))

const passOn = `(${1}, ${2}, ${3}) => function ${4}() {
    if (${3}) throw ${3}[0];
    var done = !${1}; try {
      ${7}, done = true, ${2};
    } finally {
      done || (${3} = [` + failedName + `]);
    }`
