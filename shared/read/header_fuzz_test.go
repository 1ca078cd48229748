package read

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wishes is what an Accept-Encoding header says of each coding, in thousandths: every mention, since a header may name one twice.
func wishes(header string) map[string][]int {
	weight := regexp.MustCompile(`(?i)^\s*q\s*=\s*([0-9.]+)\s*$`)
	all := map[string][]int{}
	for item := range strings.SplitSeq(header, ",") {
		parts := strings.Split(item, ";")
		name, liked := strings.ToLower(strings.TrimSpace(parts[0])), 1000
		for _, parameter := range parts[1:] {
			if key, _, _ := strings.Cut(parameter, "="); !strings.EqualFold(strings.TrimSpace(key), "q") {
				continue
			}
			liked = 0
			if m := weight.FindStringSubmatch(parameter); m != nil {
				if q, err := strconv.ParseFloat(m[1], 64); err == nil && q <= 1 {
					liked = int(q*1000 + 0.5)
				}
			}
		}
		name = strings.TrimPrefix(name, "x-")
		all[name] = append(all[name], liked)
	}
	return all
}

// FuzzNegotiate checks that the coding is one that the header allows, that it likes none better, and that identity is chosen only
// where it is liked better than every coding or none is allowed.
func FuzzNegotiate(f *testing.F) {
	for _, s := range []string{
		"gzip, deflate;q=0.5", "*;q=0", "identity;q=1, br", ";;,=", "zstd;q=0.0001", "gzip;level=9;q=0, *;q=0.2", "br;q=1, br;q=0", "X-GZIP;Q=0.5 ,identity;q=0.4",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		chosen, said := negotiate(header), wishes(header)
		of := func(name Coding) []int {
			for _, mentions := range [][]int{said[string(name)], said["*"]} {
				if len(mentions) > 0 {
					return mentions
				}
			}
			return []int{0}
		}
		if chosen != Identity && slices.Max(of(chosen)) == 0 {
			t.Fatalf("%q allows no %s", header, chosen)
		}
		for _, other := range codings {
			least := slices.Min(of(other))
			if chosen != Identity && slices.Max(of(chosen)) < least {
				t.Fatalf("%q likes %s better than %s", header, other, chosen)
			}
			if chosen == Identity && least > 0 && slices.Max(append(said["identity"], 0)) <= least {
				t.Fatalf("%q likes %s, and gets no coding", header, other)
			}
		}
	})
}

// FuzzIfNoneMatch checks that a header matches exactly where one of the tags that it lists has the hash, in any coding, or where it
// is "*" and nothing else.
func FuzzIfNoneMatch(f *testing.F) {
	for _, s := range []string{`"a"`, `W/"00ff-br", "x"`, `*`, `"`, `W/`, `"00ff-gzip"`, `"x", *`, `"00ff-", "00ff"x`, "\t*", `"a""00ff"`} {
		f.Add(s)
	}
	listed := regexp.MustCompile(`^(?:[ \t,]*(?:W/)?"[^"]*")*?[ \t,]*(?:W/)?"00ff(?:-(zstd|br|gzip))?"`)
	f.Fuzz(func(t *testing.T, header string) {
		c, ok := match(header, "00ff")
		m := listed.FindStringSubmatch(header)
		if star := strings.Trim(header, " \t") == "*"; ok != (m != nil || star) {
			t.Fatalf("%q matches: %v", header, ok)
		}
		if m != nil && string(c) != m[1] {
			t.Fatalf("%q has the coding %q, and not %q", header, m[1], c)
		}
	})
}
