package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
	"svc/shared/schema"
)

// declared is a collection and the file that declares it, named from the schema folder with slashes.
type declared struct {
	file string
	*schema.Collection
}

const nameFolder = "name the folder with --dir, or with schemaDir in " + projectFileName

// loadSchemas reads the schema folder: collections by name, the last file wins, sorted by name.
func (a *app) loadSchemas(dir setting) ([]declared, error) {
	files, err := a.schemaFiles(dir)
	if err != nil {
		return nil, err
	}
	byName := map[string]declared{}
	var issues []issue
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(dir.value, filepath.FromSlash(file)))
		if err != nil {
			return nil, fileError(a.shown(filepath.Join(dir.value, file)), err)
		}
		collections, found := parseFile(file, data)
		issues = append(issues, found...)
		for _, c := range collections {
			if before, twice := byName[c.Name]; twice {
				a.warn("the collection %s is in %s and in %s; the latter counts", c.Name, before.file, c.file)
			}
			byName[c.Name] = c
		}
	}
	set := make([]declared, 0, len(byName))
	for _, c := range byName {
		set = append(set, c)
	}
	slices.SortFunc(set, func(a, b declared) int { return strings.Compare(a.Name, b.Name) })
	if len(issues) == 0 {
		if len(set) == 0 { // pushed, it would remove everything
			return nil, misconfigured(nameFolder, "the schema folder %s declares no collection", a.shown(dir.value))
		}
		issues = checkSet(set)
	}
	if len(issues) > 0 {
		return nil, refusedSchemas(a.shown(dir.value), issues)
	}
	return set, nil
}

func refusedSchemas(dir string, issues []issue) *failure {
	return &failure{
		exit: ExitValidation, code: string(fault.ValidationFailed), issues: issues,
		detail: "the schemas in " + dir + " have " + counted(len(issues), "fault", "faults"),
	}
}

// schemaFiles lists the files of the folder, in order.
func (a *app) schemaFiles(dir setting) ([]string, error) {
	root, err := filepath.EvalSymlinks(dir.value)
	var files []string
	if err == nil {
		err = fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case skipped(name) && entry.IsDir():
				return fs.SkipDir
			case !skipped(name) && !entry.IsDir() && path.Ext(name) == ".json":
				files = append(files, name)
			}
			return nil
		})
	}
	shown := a.shown(dir.value)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, misconfigured(nameFolder, "there is no schema folder %s", shown)
	case err != nil:
		return nil, fileError(shown, err)
	case len(files) == 0:
		return nil, misconfigured(nameFolder, "the schema folder %s holds no *.json", shown)
	}
	return files, nil
}

func skipped(name string) bool {
	base := path.Base(name)
	return base != "." && strings.HasPrefix(base, ".") || base == "node_modules" || base == "dist"
}

// parseFile reads the collections of one file and tells all that is wrong with them.
func parseFile(file string, data []byte) (collections []declared, issues []issue) {
	parts, inArray := []jsontext.Value{data}, false
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '[' {
		inArray = true
		if err := json.Unmarshal(data, &parts); err != nil {
			return nil, []issue{{File: file, Message: "is not well-formed JSON: " + err.Error(), Code: string(schema.CodeSyntax)}}
		}
	}
	for i, part := range parts {
		c, err := schema.Parse(part)
		if err == nil {
			collections = append(collections, declared{file, c})
			continue
		}
		prefix := ""
		if inArray {
			prefix = "[" + strconv.Itoa(i) + "]"
		}
		issues = append(issues, schemaIssues(file, prefix, err)...)
	}
	return collections, issues
}

func schemaIssues(file, prefix string, err error) []issue {
	f := fault.As(err)
	if len(f.Items) == 0 {
		return []issue{{File: file, Path: prefix, Message: f.Detail}}
	}
	var issues []issue
	for _, it := range f.Items {
		at := it.Path
		if prefix != "" && at != "" {
			at = "." + at
		}
		issues = append(issues, issue{File: file, Path: prefix + at, Message: it.Message, Code: it.Code})
	}
	return issues
}

// checkSet checks what only the whole set can tell: that references lead somewhere.
func checkSet(set []declared) []issue {
	_, err := schema.ParseSet(canonical(set))
	if err == nil {
		return nil
	}
	var issues []issue
	for _, it := range fault.As(err).Items {
		issues = append(issues, inFile(set, it))
	}
	return issues
}

// inFile turns a path into a set, such as "collections[2].fields.author.to", into a file and a path in it.
func inFile(set []declared, it fault.Item) issue {
	for i, c := range set {
		if rest, ok := strings.CutPrefix(it.Path, "collections["+strconv.Itoa(i)+"]"); ok {
			return issue{File: c.file, Path: strings.TrimPrefix(rest, "."), Message: it.Message, Code: it.Code}
		}
	}
	return issue{Path: it.Path, Message: it.Message, Code: it.Code}
}

// canonical is what a push sends.
func canonical(set []declared) []jsontext.Value {
	values := make([]jsontext.Value, len(set))
	for i, c := range set {
		values[i] = c.Canonical()
	}
	return values
}
