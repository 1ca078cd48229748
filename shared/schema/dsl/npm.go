package dsl

import (
	"embed"
	"io/fs"
)

//go:embed npm
var npm embed.FS

// Package is the npm package "svc", whose entry "svc/schema" holds the builders that schema files import: package.json,
// schema.js, its types schema.d.ts, and README.md. Unpacked into node_modules/svc it serves editors and tsc.
var Package = mustSub(npm, "npm")

// mustSub is fs.Sub for a folder that is compiled in.
func mustSub(files fs.FS, dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err)
	}
	return sub
}
