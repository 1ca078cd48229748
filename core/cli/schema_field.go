package cli

import (
	"strconv"
	"strings"

	"svc/shared/schema"
)

// addFields adds a row for every field, nested ones below their parent by path.
func addFields(t *table, parent string, fields schema.Fields) {
	for _, f := range fields {
		path := parent + f.Key
		t.row(bold, path, fieldType(f), fieldOptions(f))
		switch {
		case f.Type == schema.TypeObject:
			addFields(t, path+".", f.Fields)
		case f.Type == schema.TypeList && f.Of.Type == schema.TypeObject:
			addFields(t, path+"[].", f.Of.Fields)
		}
		for _, b := range f.Blocks {
			t.row(bold, path+"."+b.Key, "block", "")
			addFields(t, path+"."+b.Key+".", b.Fields)
		}
	}
}

func fieldType(f *schema.Field) string {
	many := ""
	if f.Multiple {
		many = "s"
	}
	switch f.Type {
	case schema.TypeReference:
		return "reference" + many + " to " + f.To
	case schema.TypeAsset:
		return "asset" + many
	case schema.TypeList:
		return "list of " + fieldType(f.Of)
	}
	return string(f.Type)
}

// mostOfOption bounds what is shown of one text, in characters; --source and --json have all of it.
const mostOfOption = 200

// fieldOptions writes the options of a field that bind its values.
func fieldOptions(f *schema.Field) string {
	var options []string
	flag := func(on bool, name string) {
		if on {
			options = append(options, name)
		}
	}
	with := func(name, value string) { flag(value != "", name+" "+value) }
	flag(f.Required, "required")
	flag(f.Localized, "localized")
	flag(f.Integer, "integer")
	with("minLength", number(f.MinLength))
	with("maxLength", number(f.MaxLength))
	with("pattern", schema.ShowUpTo(f.Pattern, mostOfOption))
	with("one of", strings.Join(f.Enum, " | "))
	with("min", f.Min)
	with("max", f.Max)
	with("allowed", strings.Join(f.Allowed, " "))
	with("from", f.From)
	with("minItems", number(f.MinItems))
	with("maxItems", number(f.MaxItems))
	with("default", schema.ShowUpTo(string(f.Default), mostOfOption))
	if f.Type == schema.TypeList {
		if of := fieldOptions(f.Of); of != "" {
			with("each", of)
		}
	}
	return strings.Join(options, ", ")
}

func number(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}
