package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/schema"
	"svc/shared/schema/typescript"
	"svc/shared/value"
)

// generatedTypes is what "svc types" wrote.
type generatedTypes struct {
	// File is where the types are; without --out they are in Source.
	File   *string `json:"file"`
	Source *string `json:"source,omitempty"`
	// Changed tells that the file was written; it is left alone where it would not change.
	Changed       bool     `json:"changed"`
	Collections   []string `json:"collections"`
	Locales       []string `json:"locales"`
	DefaultLocale *string  `json:"defaultLocale"`
}

type typesFlags struct {
	out, locales string
	localesGiven bool
	fromDeployed bool
}

func (a *app) typesCommand() *cobra.Command {
	var f typesFlags
	cmd := &cobra.Command{
		Use:   "types",
		Short: "Write TypeScript types of entries",
		Long: `Write TypeScript types of the entries of every collection: what writes take, what public reads answer without a locale
(maps of locale to value) and with one (resolved values), references as ids and as included entries, lists and single
entries. The collections are those of the schema folder; the locales are asked of the project, unless --locales says
them, and then nothing is sent. A file that this command did not write is overwritten where that is confirmed, or accepted
by --yes.`,
		Example: "  svc types --out src/content.ts\n  svc types --locales en,de > content.ts",
	}
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "`FILE` to write; standard output if not given")
	a.addYes(cmd, "do not ask before a file is overwritten that holds something else")
	cmd.Flags().StringVar(&f.locales, "locales", "", "`CODES` of the project's locales with commas between, the default one first; empty for none")
	cmd.Flags().BoolVar(&f.fromDeployed, "deployed", false, "take the deployed schemas instead of the folder's")
	cmd.Flags().StringVar(&a.flags.dir, "dir", "", "`FOLDER` of the schemas, as for \"svc schema\"")
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		f.localesGiven = cmd.Flags().Changed("locales")
		return a.types(ctx, f)
	})
}

func (a *app) types(ctx context.Context, f typesFlags) error {
	locales, err := localesOf(f.locales)
	if err != nil {
		return err
	}
	if _, err := a.mustLoad(); err != nil {
		return err
	}
	var set []*schema.Collection
	if !f.fromDeployed {
		declared, _, err := a.loadSchemas(ctx)
		if err != nil {
			return err
		}
		for _, d := range declared.Collections {
			set = append(set, d.Collection)
		}
	}
	if f.fromDeployed || !f.localesGiven {
		if err := a.connectProject(ordinary); err != nil {
			return err
		}
	}
	if f.fromDeployed {
		if set, err = ask(a, "reading the deployed schemas", func() ([]*schema.Collection, error) { return a.deployedSchemas(ctx) }); err != nil {
			return err
		}
	}
	if !f.localesGiven {
		p, err := ask(a, "reading the locales", func() (wire.Project, error) { return a.client.Project(ctx, a.project) })
		if err != nil {
			return err
		}
		locales = value.Locales{Codes: p.Locales, Default: deref(p.DefaultLocale)}
	}
	return a.writeTypes(ctx, f, set, locales)
}

// localesOf reads the flag --locales.
func localesOf(flag string) (value.Locales, error) {
	var l value.Locales
	if strings.TrimSpace(flag) == "" {
		return l, nil
	}
	for _, code := range strings.Split(flag, ",") {
		code = strings.TrimSpace(code)
		if code == "" || strings.ContainsFunc(code, func(r rune) bool { return r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') }) || slices.Contains(l.Codes, code) {
			return l, usage("it looks like --locales en,de-AT", "--locales %q is no list of distinct locale codes", flag)
		}
		l.Codes = append(l.Codes, code)
	}
	l.Default = l.Codes[0]
	return l, nil
}

func (a *app) writeTypes(ctx context.Context, f typesFlags, set []*schema.Collection, locales value.Locales) error {
	text := typescript.Types(set, locales)
	done := generatedTypes{Locales: append([]string{}, locales.Codes...), DefaultLocale: orNull(locales.Default), Collections: []string{}}
	for _, c := range set {
		done.Collections = append(done.Collections, c.Name)
	}
	if f.out == "" {
		source := string(text)
		done.Source = &source
		return a.answer(done, func(p *page) { p.Write(text) })
	}
	path := a.absolute(f.out)
	var err error
	if done.Changed, err = a.writeGenerated(ctx, path, text); err != nil {
		return err
	}
	done.File = &path
	return a.answer(done, func(p *page) {
		if !done.Changed {
			p.line("%s is up to date", a.shown(path))
			return
		}
		p.line("%s %s: the types of %s", p.paint(green, "wrote"), a.shown(path), counted(len(set), "collection", "collections"))
	})
}

// writeGenerated puts types into a file, and reports whether that changed it. What is there and was written by someone is
// only overwritten where that is confirmed.
func (a *app) writeGenerated(ctx context.Context, path string, text []byte) (changed bool, err error) {
	before, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, fileError(a.shown(path), err)
	case bytes.Equal(before, text):
		return false, nil
	case len(before) > 0 && !typescript.IsTypes(before):
		if err := a.confirm(ctx, "overwriting "+a.shown(path)+", which is not of this command"); err != nil {
			return false, err
		}
	}
	if err := writeWhole(path, text); err != nil {
		return false, fileError(a.shown(path), err)
	}
	return true, nil
}
