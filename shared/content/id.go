// Package content names the things of the service: typed ids, the states they go through and the transitions
// between those states (interface, "Identifier prefixes" and "States and transitions").
package content

import (
	"fmt"

	"github.com/google/uuid"

	"svc/shared/fault"
)

// Typed ids: a prefix, an underscore and 26 characters of a UUIDv7, so they sort by creation.
type (
	OrganizationID string
	ProjectID      string
	EntryID        string
	RevisionID     string
	AssetID        string
	ChangeSetID    string
	KeyID          string
	UserID         string
	EventID        string
	PreviewID      string
)

func (OrganizationID) Prefix() string { return "org" }
func (ProjectID) Prefix() string      { return "prj" }
func (EntryID) Prefix() string        { return "ent" }
func (RevisionID) Prefix() string     { return "rev" }
func (AssetID) Prefix() string        { return "ast" }
func (ChangeSetID) Prefix() string    { return "chs" }
func (KeyID) Prefix() string          { return "key" }
func (UserID) Prefix() string         { return "usr" }
func (EventID) Prefix() string        { return "whe" }
func (PreviewID) Prefix() string      { return "prv" }

// ID is any typed id.
type ID interface {
	~string
	Prefix() string
}

// NewID makes an id that is greater than every id this process made before, also within a millisecond and where the clock
// goes back. (Other libraries count within a millisecond from a random start, and fall back to zero behind 4,095.)
func NewID[T ID]() T {
	id, err := uuid.NewV7()
	if err != nil {
		var zero T
		panic(fmt.Sprintf("making a %s id: %v", zero.Prefix(), err)) // the random source failed
	}
	return FromBytes[T](id)
}

// ParseID checks that s is an id of this type.
func ParseID[T ID](s string) (T, error) {
	var zero T
	if _, ok := Bytes(T(s)); !ok {
		return zero, fault.New(fault.ValidationFailed, "%q is not an id of the form %s_ and 26 characters", shorten(s), zero.Prefix())
	}
	return T(s), nil
}

// IsID reports whether s has the form of an id of this type.
func IsID[T ID](s string) bool {
	_, ok := Bytes(T(s))
	return ok
}

// Bytes returns the 16 bytes behind an id, in the order of the ids; false where the id is malformed.
func Bytes[T ID](id T) ([16]byte, bool) {
	p := id.Prefix()
	s := string(id)
	if len(s) != len(p)+1+suffixLen || s[:len(p)] != p || s[len(p)] != '_' {
		return [16]byte{}, false
	}
	return decodeSuffix(s[len(p)+1:])
}

// FromBytes is the inverse of Bytes.
func FromBytes[T ID](b [16]byte) T {
	return T(AppendText[T](make([]byte, 0, 4+suffixLen), b))
}

// AppendText appends the text of the id behind b, for stores that write many ids at once.
func AppendText[T ID](dst []byte, b [16]byte) []byte {
	var zero T
	dst = append(dst, zero.Prefix()...)
	dst = append(dst, '_')
	return appendSuffix(dst, b)
}

func shorten(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
