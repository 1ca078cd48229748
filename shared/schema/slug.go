package schema

// MaxSlugLength bounds slugs, in characters.
const MaxSlugLength = 200

// SlugRule says what a slug looks like, in words that follow "must be".
const SlugRule = "lower-case letters a to z and digits, in words joined by single hyphens, at most 200 characters"

// IsSlug reports whether s follows the slug pattern ^[a-z0-9]+(?:-[a-z0-9]+)*$ within MaxSlugLength.
func IsSlug(s string) bool {
	if s == "" || len(s) > MaxSlugLength {
		return false
	}
	hyphen := true // a hyphen may not come next
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			hyphen = false
		case c == '-' && !hyphen:
			hyphen = true
		default:
			return false
		}
	}
	return !hyphen
}
