package query

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"svc/shared/content"
	"svc/shared/fault"
)

// Cursor is a place in an ordered list, after one of its rows. It stays good when the row is gone.
type Cursor struct {
	// Pin is the release that was read; 0 is the head.
	Pin uint64
	// Moving marks a pin by a time that might still have come to mean a later release.
	Moving bool
	// Missing, Value and Entry are the key of the row (read.Key). Cut says that Value stands for one that is too long.
	Missing bool
	Cut     bool
	Value   string
	Entry   content.EntryID
}

// Binding is what a cursor belongs to; it opens under the same binding only. Limit, fields, include and
// representation are no part of it and may change from page to page. The pin is inside the cursor.
type Binding struct {
	Project    content.ProjectID
	Collection string
	Order      string // empty is the default order
	Filters    string // canonical text of all filters
	Search     string
	Locale     string
}

const (
	cursorVersion  = 1
	macLen         = 16 // 128 bits of HMAC-SHA256
	minCursorKey   = 16
	maxCursorValue = 512

	flagMissing = 1
	flagMoving  = 2
	flagCut     = 4
)

// Seal writes a cursor as base64url, authenticated under the project's cursor key, so that every node with the key
// takes it. An order value longer than maxCursorValue, a malformed entry id and a short key are errors.
func (b *Binding) Seal(key []byte, c Cursor) (string, error) {
	id, ok := content.Bytes(c.Entry)
	if !ok || len(c.Value) > maxCursorValue {
		return "", fmt.Errorf("sealing a cursor: entry %q with an order value of %d bytes", c.Entry, len(c.Value))
	}
	flags := byte(0)
	if c.Missing {
		flags |= flagMissing
	}
	if c.Moving {
		flags |= flagMoving
	}
	if c.Cut {
		flags |= flagCut
	}
	raw := make([]byte, 0, 2+binary.MaxVarintLen64+len(id)+len(c.Value)+macLen)
	raw = append(raw, cursorVersion, flags)
	raw = binary.AppendUvarint(raw, c.Pin)
	raw = append(raw, id[:]...)
	raw = append(raw, c.Value...)
	mac, err := b.mac(key, raw)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(raw, mac...)), nil
}

// Open reads a cursor. One that was made up, damaged, or sealed under another binding or key is VALIDATION_FAILED.
// The caller holds Pin and Moving against the pin of its request.
func (b *Binding) Open(key []byte, text string) (Cursor, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	// The decoder skips line breaks, so the length is compared too.
	if err != nil || base64.RawURLEncoding.EncodedLen(len(raw)) != len(text) || len(raw) < macLen {
		return Cursor{}, ForeignCursor()
	}
	body, sum := raw[:len(raw)-macLen], raw[len(raw)-macLen:]
	mac, err := b.mac(key, body)
	if err != nil {
		return Cursor{}, err
	}
	if !hmac.Equal(mac, sum) {
		return Cursor{}, ForeignCursor()
	}
	c, ok := readCursor(body)
	if !ok { // sealed by a build with another form of cursors
		return Cursor{}, ForeignCursor()
	}
	return c, nil
}

func readCursor(body []byte) (Cursor, bool) {
	if len(body) < 2 || body[0] != cursorVersion || body[1]&^(flagMissing|flagMoving|flagCut) != 0 {
		return Cursor{}, false
	}
	pin, n := binary.Uvarint(body[2:])
	if n <= 0 || len(body) < 2+n+16 {
		return Cursor{}, false
	}
	rest := body[2+n:]
	return Cursor{
		Pin: pin, Moving: body[1]&flagMoving != 0, Missing: body[1]&flagMissing != 0, Cut: body[1]&flagCut != 0,
		Entry: content.FromBytes[content.EntryID]([16]byte(rest[:16])), Value: string(rest[16:]),
	}, true
}

// mac authenticates a cursor's bytes together with its binding, every part of which is preceded by its length.
func (b *Binding) mac(key, body []byte) ([]byte, error) {
	if len(key) < minCursorKey {
		return nil, fmt.Errorf("the cursor key of project %s has %d bytes; it must have at least %d", b.Project, len(key), minCursorKey)
	}
	h := hmac.New(sha256.New, key)
	buf := make([]byte, 0, 256)
	for _, part := range [...]string{string(b.Project), b.Collection, b.Order, b.Filters, b.Search, b.Locale} {
		buf = binary.AppendUvarint(buf, uint64(len(part)))
		buf = append(buf, part...)
	}
	h.Write(buf)
	h.Write(body)
	return h.Sum(nil)[:macLen], nil
}

// ForeignCursor is the fault of a cursor that does not belong to the request.
func ForeignCursor() error {
	return fault.Invalid(paramCursor,
		"is not a cursor of this list; take nextCursor from the previous page and leave the other parameters as they were")
}
