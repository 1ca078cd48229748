// Package credential handles the secrets that callers present: how they look, how they are minted, hashed and
// verified, and what a key that was verified may do (interface, "Authentication").
package credential

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"svc/shared/fault"
)

// Kind tells the bearer credentials apart by the word after "svc_".
type Kind string

const (
	APIKey         Kind = "sk"
	ConnectorGrant Kind = "mat"
	PreviewToken   Kind = "prv"
	IngestKey      Kind = "ik"
)

const (
	publicLen = 16
	secretLen = 40 // 40 characters of 62 are 238 bits
	letters   = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// Hash is the SHA-256 of the whole credential text. Only hashes are stored.
type Hash [sha256.Size]byte

// Secret is a credential as its holder presents it.
type Secret struct {
	Kind     Kind
	PublicID string // used only to look the stored hash up
	text     string
}

// Mint makes a new secret. Its text is shown once, at creation.
func Mint(kind Kind) Secret {
	public := random(publicLen)
	return Secret{Kind: kind, PublicID: public, text: "svc_" + string(kind) + "_" + public + "_" + random(secretLen)}
}

// Parse reads svc_<kind>_<publicId>_<secret>; anything else is AUTHENTICATION_REQUIRED.
func Parse(text string) (Secret, error) {
	parts := strings.Split(text, "_")
	if len(parts) != 4 || parts[0] != "svc" || len(parts[2]) != publicLen || len(parts[3]) != secretLen ||
		!alphanumeric(parts[2]) || !alphanumeric(parts[3]) {
		return Secret{}, malformed()
	}
	switch kind := Kind(parts[1]); kind {
	case APIKey, ConnectorGrant, PreviewToken, IngestKey:
		return Secret{Kind: kind, PublicID: parts[2], text: text}, nil
	}
	return Secret{}, malformed()
}

// Bearer returns the credential of an Authorization header, and false where the header is absent.
func Bearer(header string) (Secret, bool, error) {
	if header == "" {
		return Secret{}, false, nil
	}
	scheme, text, ok := strings.Cut(header, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return Secret{}, true, fault.New(fault.AuthenticationRequired, "the Authorization header must read: Bearer <credential>")
	}
	secret, err := Parse(strings.TrimSpace(text))
	return secret, true, err
}

// Text is the secret itself. Hand it to its holder; never store or log it.
func (s Secret) Text() string { return s.text }

// String hides the secret, so that a logged Secret leaks nothing.
func (s Secret) String() string { return "svc_" + string(s.Kind) + "_" + s.PublicID + "_…" }

// Hash returns what may be stored of the secret.
func (s Secret) Hash() Hash { return sha256.Sum256([]byte(s.text)) }

// Matches compares in constant time.
func (s Secret) Matches(stored Hash) bool {
	h := s.Hash()
	return subtle.ConstantTimeCompare(h[:], stored[:]) == 1
}

func malformed() *fault.Error {
	return fault.New(fault.AuthenticationRequired, "the credential is malformed: expected svc_<kind>_<publicId>_<secret>")
}

func alphanumeric(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// random returns n characters, each equally likely.
func random(n int) string {
	out := make([]byte, 0, n)
	buf := make([]byte, n)
	for len(out) < n {
		rand.Read(buf)
		for _, b := range buf {
			if b < 248 && len(out) < n { // 248 = 4 × 62: above it the remainder would favour some letters
				out = append(out, letters[b%62])
			}
		}
	}
	return string(out)
}
