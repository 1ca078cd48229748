package diff_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"svc/core/diff"
	"svc/shared/testrand"
)

// marked writes segments as one text: [-deleted-] and {+inserted+}.
func marked(segments []diff.Segment) string {
	var b strings.Builder
	for _, s := range segments {
		switch s.Op {
		case diff.OpDelete:
			b.WriteString("[-" + s.Value + "-]")
		case diff.OpInsert:
			b.WriteString("{+" + s.Value + "+}")
		default:
			b.WriteString(s.Value)
		}
	}
	return b.String()
}

func TestSegmentsAreWords(t *testing.T) {
	for _, tt := range []struct{ name, before, after, want string }{
		{"nothing", "", "", ""},
		{"equal", "one two", "one two", "one two"},
		{"inserted", "", "one two", "{+one two+}"},
		{"deleted", "one two", "", "[-one two-]"},
		{"whole words", "night buses run", "night buses ran", "night buses [-run-]{+ran+}"},
		{"delete before insert, neighbours joined", "a one,z", "a three;z", "a [-one,-]{+three;+}z"},
		{"an inserted word", "one three", "one two three", "one {+two +}three"},
		{"punctuation and space", "Hello, you", "Hello; you", "Hello[-,-]{+;+} you"},
		{"apostrophes and decimals are within words", "it's 1.5", "it's 1.6", "it's [-1.5-]{+1.6+}"},
		{"accents", "das Café", "das Cafe", "das [-Café-]{+Cafe+}"},
		{"Cyrillic", "мой дом", "твой дом", "[-мой-]{+твой+} дом"},
		{"Arabic", "بيت كبير", "بيت صغير", "بيت [-كبير-]{+صغير+}"},
		{"Chinese by character", "我住在北京", "我住在南京", "我住在[-北-]{+南+}京"},
		{"Japanese by character", "東京タワー", "東京タワ", "東京タワ[-ー-]"},
		{"Korean by character", "한국어", "한국말", "한국[-어-]{+말+}"},
		{"decomposed Korean by syllable", "\u1112\u1161\u11ab\u1100", "\u1112\u1161\u1100", "[-\u1112\u1161\u11ab-]{+\u1112\u1161+}\u1100"},
		{"marks stay with their character", "か\u3099き", "かき", "[-か\u3099-]{+か+}き"},
		{"letters next to characters", "abc한국 x", "abd한국 x", "[-abc-]{+abd+}한국 x"},
		{"flags and joined emoji", "🇩🇪👩\u200d🚀", "🇩🇰👩\u200d🚀", "[-🇩🇪-]{+🇩🇰+}👩\u200d🚀"},
		{"lines", "a\nb\n", "a\nc\n", "a\n[-b-]{+c+}\n"},
		{"invalid UTF-8", "a \xff b", "a \xfe b", "a [-\xff-]{+\xfe+} b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := marked(diff.Segments(tt.before, tt.after)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// checkSegments holds the laws of segments for two texts.
func checkSegments(t rapid.TB, before, after string) {
	t.Helper()
	segments := diff.Segments(before, after)
	var was, is strings.Builder
	last := diff.Op("")
	for _, s := range segments {
		if s.Value == "" || s.Op == last || s.Op == diff.OpDelete && last == diff.OpInsert {
			t.Fatalf("%q stands after %s", s, last)
		}
		last = s.Op
		if s.Op != diff.OpInsert {
			was.WriteString(s.Value)
		}
		if s.Op != diff.OpDelete {
			is.WriteString(s.Value)
		}
	}
	if was.String() != before || is.String() != after {
		t.Fatalf("%q make up %q and %q", segments, was.String(), is.String())
	}
	if before == after && len(segments) > 1 {
		t.Fatalf("equal texts have %q", segments)
	}
	if again := diff.Segments(before, after); !slices.Equal(again, segments) {
		t.Fatalf("%q, and again %q", segments, again)
	}
}

// For few words the answer is a shortest one: as many words are equal as in a longest common subsequence.
func TestSegmentsOfFewWordsAreFewest(t *testing.T) {
	random := testrand.New(t)
	for range 3000 * testrand.Scale {
		a, b := characters(random, random.Uint64()%40, 4), characters(random, random.Uint64()%40, 4)
		checkSegments(t, string(a), string(b))
		if got, want := equalIn(diff.Segments(string(a), string(b))), longestCommon(a, b); got != want {
			t.Fatalf("%d are equal, want %d: %s", got, want, marked(diff.Segments(string(a), string(b))))
		}
	}
}

// characters draws a text of Chinese characters, each of them a word, out of the first kinds.
func characters(random *rand.Rand, length, kinds uint64) []rune {
	text := make([]rune, length)
	for i := range text {
		text[i] = '一' + rune(random.Uint64()%kinds)
	}
	return text
}

// equalIn counts the characters that both sides have.
func equalIn(segments []diff.Segment) int {
	n := 0
	for _, s := range segments {
		if s.Op == diff.OpEqual {
			n += utf8.RuneCountInString(s.Value)
		}
	}
	return n
}

func longestCommon(a, b []rune) int {
	above := make([]int, len(b)+1)
	for _, x := range a {
		row := make([]int, len(b)+1)
		for j, y := range b {
			row[j+1] = max(above[j+1], row[j])
			if x == y {
				row[j+1] = above[j] + 1
			}
		}
		above = row
	}
	return above[len(b)]
}

// The search gives up in texts of this size, and still finds much of what they have in common.
func TestSegmentsOfLongTextsWithLittleInCommon(t *testing.T) {
	random := testrand.New(t)
	const kinds = 100
	for _, lengths := range [][2]uint64{{8000, 8000}, {500, 20000}, {20000, 500}} {
		a, b := characters(random, lengths[0], kinds), characters(random, lengths[1], kinds)
		checkSegments(t, string(a), string(b))
		if got, most := equalIn(diff.Segments(string(a), string(b))), longestCommon(a, b); got < most*2/5 || got == most {
			t.Errorf("%d of %d characters are found in %v", got, most, lengths)
		}
	}
}

// Of texts that are too long to search, what they begin and end with is equal.
func TestSegmentsOfEndlessTexts(t *testing.T) {
	long := strings.Repeat("かな", 1<<18)
	if got := marked(diff.Segments("前後", "後前")); got != "[-前-]後{+前+}" && got != "{+後+}前[-後-]" {
		t.Errorf("of short ones %s", got)
	}
	got := diff.Segments(long+"前後"+long, long+"後前"+long)
	if len(got) != 4 || got[0].Value != long || got[1].Value != "前後" || got[2].Value != "後前" {
		t.Errorf("%d segments", len(got))
	}
}

func TestSegmentsOfHostileTexts(t *testing.T) {
	for name, pair := range hostile() {
		t.Run(name, func(t *testing.T) {
			before, after := pair[0][:min(len(pair[0]), textSize/20)], pair[1][:min(len(pair[1]), textSize/20)]
			checkSegments(t, before, after)
			checkSegments(t, after, before)
		})
	}
}

// FuzzSegments holds the laws of segments for any two texts.
func FuzzSegments(f *testing.F) {
	for _, seed := range [][2]string{
		{"", ""}, {"one two", "two one"}, {"night buses run", "night buses ran"}, {"東京タワー", "京都タワ"}, {"a\u0301b", "ab"}, {"👩\u200d🚀🇩🇪", "👩🇩"},
		{"한국abc", "\u1112\u1161\u11ab"}, {"\xff\xfe", "\xfe"}, {"ababababab", "bababa"}, {"a.b'c:d 1,5", "a.b c'd 1.5"}, {"か\u3099", "が"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		checkSegments(t, before, after)
	})
}
