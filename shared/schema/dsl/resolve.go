package dsl

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"svc/shared/schema"
)

const (
	// moduleName is the one module that is not a file of the folder.
	moduleName = "svc/schema"
	// Files are in one name space of the bundler, the module in another. None is that of the file system.
	fileSpace   = "schema"
	moduleSpace = "svc"
)

//go:embed npm
var npm embed.FS

// Package is the npm package "svc", whose entry "svc/schema" holds the builders that schema files import: package.json,
// schema.js, its types schema.d.ts, and README.md. Unpacked into node_modules/svc it serves editors and tsc.
var Package, _ = fs.Sub(npm, "npm")

// resolver gives the bundler the files of the folder and nothing else.
type resolver struct {
	files map[string]string // texts by path

	mu      sync.Mutex
	imports imports
}

func newResolver(files []source) *resolver {
	r := &resolver{files: map[string]string{}, imports: imports{}}
	for _, f := range files {
		r.files[f.path] = f.text
	}
	return r
}

func (r *resolver) setup(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: ".*"}, r.resolve)
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: fileSpace}, r.load)
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: moduleSpace}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
		text, err := fs.ReadFile(Package, "schema.js")
		contents := string(text)
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, err
	})
}

// load hands over a file. The empty export makes it a module whatever it says, so that it has no "module" or "exports".
// A comment that names a source map would have the bundler read it; spelled with an escape it means the same in code.
func (r *resolver) load(args api.OnLoadArgs) (api.OnLoadResult, error) {
	text, loader := r.files[args.Path]+"\nexport {}", api.LoaderJS
	text = strings.ReplaceAll(text, "sourceMappingURL", `sourceMapping\u0055RL`)
	if strings.HasSuffix(args.Path, "ts") {
		loader = api.LoaderTS
	}
	return api.OnLoadResult{Contents: &text, Loader: loader}, nil
}

func (r *resolver) resolve(args api.OnResolveArgs) (api.OnResolveResult, error) {
	if args.Namespace != fileSpace { // the entry
		return api.OnResolveResult{Path: args.Path, Namespace: fileSpace}, nil
	}
	if args.Kind != api.ResolveJSImportStatement {
		return refuseImport("a schema file has no require and no import(); write: import { … } from %s", schema.Quote(args.Path))
	}
	switch {
	case args.Path == moduleName:
		return api.OnResolveResult{Path: moduleName, Namespace: moduleSpace}, nil
	case len(args.With) > 0:
		return refuseImport("an import has no attributes in a schema file")
	case isRelative(args.Path):
		return r.resolveFile(args.Importer, args.Path)
	}
	return refuseImport("%s cannot be imported: a schema file has %q and other files of the schema folder, by relative paths such as \"./shared/seo\"; "+
		"no packages, no Node.js and no network", schema.Quote(args.Path), moduleName)
}

func refuseImport(format string, args ...any) (api.OnResolveResult, error) {
	message := api.Message{Text: fmt.Sprintf(format, args...), Detail: CodeImport}
	return api.OnResolveResult{Errors: []api.Message{message}}, nil
}

func isRelative(name string) bool {
	return name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../")
}

// resolveFile finds the file of the folder that a relative import means.
func (r *resolver) resolveFile(importer, name string) (api.OnResolveResult, error) {
	target := path.Join(path.Dir(importer), name)
	if target == ".." || strings.HasPrefix(target, "../") {
		return refuseImport("%s leaves the schema folder, which holds all that its files import", schema.Quote(name))
	}
	for _, candidate := range candidates(target) {
		if _, found := r.files[candidate]; !found {
			continue
		}
		r.mu.Lock()
		r.imports[importer] = append(r.imports[importer], candidate)
		r.mu.Unlock()
		return api.OnResolveResult{Path: candidate, Namespace: fileSpace}, nil
	}
	return refuseImport("there is no file %s in the schema folder (with .ts, .mts, .js or .mjs and values, not only types; names that start with a dot, node_modules and dist are left out)", schema.Quote(target))
}

// candidates are the files that an import may mean, as TypeScript has it: with or without extension, the .ts file for
// the .js file it becomes, and the index of a folder.
func candidates(target string) []string {
	list := []string{target}
	if base, isJS := strings.CutSuffix(target, ".js"); isJS {
		list = append(list, base+".ts")
	}
	if base, isJS := strings.CutSuffix(target, ".mjs"); isJS {
		list = append(list, base+".mts")
	}
	for _, ext := range extensions {
		list = append(list, target+ext)
	}
	for _, ext := range extensions {
		list = append(list, path.Join(target, "index"+ext))
	}
	return list
}
