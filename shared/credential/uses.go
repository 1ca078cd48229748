package credential

import (
	"maps"
	"slices"
	"sync"
	"time"

	"svc/shared/content"
)

const (
	// UseEvery is how exact the last use of a key is.
	UseEvery = time.Minute
	// MaxUses is how many keys Uses tells of.
	MaxUses = 500
)

// Uses remembers when keys were last used, for the MaxUses keys that were used last. The zero value is ready.
type Uses struct {
	mu sync.Mutex
	at map[content.KeyID]time.Time
}

// Note takes the use of a key in. Another one within UseEvery changes nothing.
func (u *Uses) Note(key content.KeyID, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, known := u.at[key]; known && now.Sub(last) < UseEvery {
		return
	}
	if u.at == nil || len(u.at) >= 2*MaxUses {
		u.at = u.newest()
	}
	u.at[key] = now
}

// Last returns when which keys were last used.
func (u *Uses) Last() map[content.KeyID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.newest()
}

func (u *Uses) newest() map[content.KeyID]time.Time {
	out := make(map[content.KeyID]time.Time, min(len(u.at), MaxUses))
	if len(u.at) <= MaxUses {
		maps.Copy(out, u.at)
		return out
	}
	keys := slices.SortedFunc(maps.Keys(u.at), func(a, b content.KeyID) int { return u.at[b].Compare(u.at[a]) })
	for _, key := range keys[:MaxUses] {
		out[key] = u.at[key]
	}
	return out
}
