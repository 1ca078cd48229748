package openapi

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/swaggest/jsonschema-go"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/problem"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// schemas derives JSON Schemas from Go types; structs with a name become definitions.
type schemas struct {
	reflector   jsonschema.Reflector
	definitions map[string]jsonschema.Schema // by name
	err         error                        // the first one
}

func newSchemas() *schemas { return &schemas{definitions: map[string]jsonschema.Schema{}} }

func (s *schemas) fail(err error) { s.err = cmp.Or(s.err, err) }

// of is the schema of a type as its JSON goes over the wire.
func (s *schemas) of(t reflect.Type) jsonschema.Schema {
	schema, err := s.reflector.Reflect(reflect.New(t).Elem().Interface(),
		jsonschema.DefinitionsPrefix("#/components/schemas/"),
		jsonschema.CollectDefinitions(func(name string, schema jsonschema.Schema) { s.definitions[name] = schema }),
		jsonschema.RootRef,
		jsonschema.InterceptDefName(s.definition),
		jsonschema.InterceptSchema(s.special),
		jsonschema.InterceptProp(property),
		jsonschema.InterceptNullability(notNull),
		func(rc *jsonschema.ReflectContext) { rc.EnvelopNullability = true },
	)
	s.fail(err)
	return schema
}

// definition names the definition of a struct: Entry, EntryList for a list of them, and EntryEnvelope. Everything else, and what encodes
// itself as something else than an object, stands where it is used.
func (s *schemas) definition(t reflect.Type, _ string) string {
	name, inner, generic := strings.Cut(t.Name(), "[")
	switch {
	case t.Kind() != reflect.Struct || t == reflect.TypeFor[wire.Time]() || t == reflect.TypeFor[wire.Clearable]() || name == "Optional":
		s.reflector.InlineDefinition(reflect.Zero(t).Interface())
		return t.Name()
	case generic:
		return strings.TrimRight(inner[strings.LastIndexByte(inner, '.')+1:], "]") + name
	case t.PkgPath() == reflect.TypeFor[problem.Document]().PkgPath():
		return "Problem" + strings.TrimPrefix(name, "Document")
	}
	return name
}

// property marks the members that are always there as required, lets a pointer be null, and lets what a field of content holds be
// anything (value:"any").
func property(p jsonschema.InterceptPropParams) error {
	if !p.Processed {
		return nil
	}
	if tag := p.Field.Tag.Get("json"); !strings.Contains(tag, ",omitempty") && !strings.Contains(tag, ",omitzero") {
		p.ParentSchema.Required = append(p.ParentSchema.Required, p.Name)
	}
	if p.Field.Tag.Get("value") == "any" {
		p.PropertySchema.Type = nil
	}
	if p.PropertySchema.AnyOf != nil { // null or a definition; the library leaves the type of the latter beside
		p.PropertySchema.Type = nil
	}
	return nil
}

// notNull takes the null from lists and maps that the library gives them: empty ones are encoded as such.
func notNull(p jsonschema.InterceptNullabilityParams) {
	if p.NullAdded && p.Type.Kind() != reflect.Pointer {
		p.Schema.RemoveType(jsonschema.Null)
	}
}

// special replaces the schemas of types that encode themselves, and of texts with a form or a list of values.
func (s *schemas) special(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
	if p.Processed {
		return false, nil
	}
	t := p.Value.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := reflect.Zero(t).Interface().(type) {
	case wire.Time:
		p.Schema.AddType(jsonschema.String)
		p.Schema.AddType(jsonschema.Null)
		p.Schema.WithFormat("date-time")
	case wire.Clearable:
		p.Schema.AddType(jsonschema.String)
		p.Schema.AddType(jsonschema.Null)
	case jsontext.Value:
		p.Schema.AddType(jsonschema.Object)
	case content.ChangeSetStatus:
		enum(p.Schema, content.ChangeSetStatuses())
	case content.Operation:
		enum(p.Schema, content.Operations())
	case content.ResourceType:
		enum(p.Schema, []content.ResourceType{content.ResourceEntry, content.ResourceAsset})
	case credential.Scope:
		enum(p.Schema, credential.Scopes())
	case schema.Kind:
		enum(p.Schema, schema.Kinds())
	case schema.Visibility:
		enum(p.Schema, schema.Visibilities())
	case diff.Class:
		enum(p.Schema, diff.Classes())
	case fault.Code:
		enum(p.Schema, fault.Codes())
	case interface{ Prefix() string }:
		p.Schema.AddType(jsonschema.String)
		p.Schema.WithPattern(fmt.Sprintf("^%s_[0-9a-hjkmnp-tv-z]{26}$", v.Prefix()))
	default:
		if !strings.HasPrefix(t.Name(), "Optional[") {
			return false, nil
		}
		*p.Schema = s.of(t.Field(0).Type.Elem())
	}
	return true, nil
}

func enum[T ~string](s *jsonschema.Schema, values []T) {
	s.AddType(jsonschema.String)
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
}
