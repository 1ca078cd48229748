package value

import "svc/shared/schema"

// Class is what decides the keys of a field's values: fields of one class have keys that compare with each other.
type Class byte

// The classes of scalar fields. Text, slugs and the ids in references and assets are one.
const (
	ClassNone     Class = 0
	ClassText     Class = 't'
	ClassNumber   Class = 'n'
	ClassBoolean  Class = 'b'
	ClassDate     Class = 'd'
	ClassDatetime Class = 'i'
)

// ClassOf returns the class of a field's values; ClassNone where the field is not scalar (schema.Field.Filterable).
func ClassOf(f *schema.Field) Class {
	if !f.Filterable() {
		return ClassNone
	}
	switch f.Type {
	case schema.TypeNumber:
		return ClassNumber
	case schema.TypeBoolean:
		return ClassBoolean
	case schema.TypeDate:
		return ClassDate
	case schema.TypeDatetime:
		return ClassDatetime
	}
	return ClassText
}
