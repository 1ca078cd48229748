package value

import "github.com/go-json-experiment/json/jsontext"

// EachText calls see with the text of a top-level field in every locale that it is stored in, until see returns false. A value
// that is no text is passed over. fields is in compact form; the text is valid during the call.
func EachText(fields jsontext.Value, key string, see func(text []byte) bool) error {
	raw, err := memberOf(fields, key)
	if err != nil || raw == nil {
		return err
	}
	if raw[0] != '{' {
		_, err := seeText(raw, see)
		return err
	}
	c, err := openObject(raw)
	if err != nil {
		return err
	}
	for c.next() {
		if more, err := seeText(c.value, see); err != nil || !more {
			return err
		}
	}
	return c.err
}

func seeText(raw jsontext.Value, see func(text []byte) bool) (more bool, err error) {
	if raw[0] != '"' {
		return true, nil
	}
	text, ok := unquote(raw)
	if !ok {
		return false, ErrForm
	}
	return see(text), nil
}
