package value

import "github.com/go-json-experiment/json/jsontext"

// EachMember calls see with the members of an object in compact form, in order. name is valid during the call, raw is a part
// of the object. An error of see ends it.
func EachMember(object jsontext.Value, see func(name []byte, raw jsontext.Value) error) error {
	c, err := openObject(object)
	if err != nil {
		return err
	}
	for c.next() {
		if err := see(c.name, c.value); err != nil {
			return err
		}
	}
	return c.err
}
