package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"svc/core/diff"
)

const textSize = 200_000 // bytes

// fill makes a text of textSize of words, each followed by a separator.
func fill(separator string, word func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < textSize; i++ {
		b.WriteString(word(i))
		b.WriteString(separator)
	}
	return b.String()
}

func drawn(seed uint64, separator string, alphabet []string) string {
	source := rand.New(rand.NewPCG(seed, 0))
	return fill(separator, func(int) string { return alphabet[source.Uint64N(uint64(len(alphabet)))] })
}

// edited replaces every nth word.
func edited(text string, n int) string {
	all := strings.Split(text, " ")
	for i := n - 1; i < len(all); i += n {
		all[i] = fmt.Sprintf("edit%d", i)
	}
	return strings.Join(all, " ")
}

// hostile are pairs of texts that are expensive to compare.
func hostile() map[string][2]string {
	alphabet := func(first rune, n int) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = string(first + rune(i))
		}
		return all
	}
	vocabulary := make([]string, 3000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("word%d", i)
	}
	prose := drawn(1, " ", vocabulary)
	reversed := strings.Split(prose, " ")
	slices.Reverse(reversed)
	period := func(shift int) string { return fill(" ", func(i int) string { return vocabulary[(i+shift)%97] }) }
	mark := "\u0301"
	return map[string][2]string{
		"an edit in 1000 words":           {prose, edited(prose, 1000)},
		"an edit in 10 words":             {prose, edited(prose, 10)},
		"every word differs":              {fill(" ", func(i int) string { return fmt.Sprintf("a%d", i) }), fill(" ", func(i int) string { return fmt.Sprintf("b%d", i) })},
		"one word repeated":               {fill(" ", func(int) string { return "a" }), fill(" ", func(i int) string { return []string{"a", "a", "b"}[i%3] })},
		"one word repeated without space": {fill("", func(int) string { return "漢" }), fill("", func(i int) string { return []string{"漢", "字"}[i%2] })},
		"two orders of one vocabulary":    {prose, drawn(2, " ", vocabulary)},
		"two orders of 26 letters":        {drawn(1, " ", alphabet('a', 26)), drawn(2, " ", alphabet('a', 26))},
		"two orders of 2 letters":         {drawn(1, " ", alphabet('a', 2)), drawn(2, " ", alphabet('a', 2))},
		"two orders of 2 characters":      {drawn(1, "", alphabet('一', 2)), drawn(2, "", alphabet('一', 2))},
		"two orders of 3000 characters":   {drawn(1, "", alphabet('一', 3000)), drawn(2, "", alphabet('一', 3000))},
		"two orders of signs":             {drawn(1, "", []string{"!", "?", ";", "-"}), drawn(2, "", []string{"!", "?", ";", "-"})},
		"reversed":                        {prose, strings.Join(reversed, " ")},
		"periodic and shifted":            {period(0), period(48)},
		"two periods":                     {period(0), fill(" ", func(i int) string { return vocabulary[i%89] })},
		"halves exchanged":                {prose, prose[textSize/2:] + prose[:textSize/2]},
		"against nothing":                 {prose, ""},
		"marks on one letter":             {"a" + strings.Repeat(mark, textSize/2), "b" + strings.Repeat(mark, textSize/2)},
		"marks after a dot":               {strings.Repeat("a."+strings.Repeat(mark, 1000), textSize/2000), "b"},
		"marks on dots":                   {fill("", func(int) string { return "a:" + mark }), fill("", func(int) string { return "a'" + mark })},
		"flags":                           {strings.Repeat("🇩", textSize/4), strings.Repeat("🇪", textSize/4)},
		"joined emoji":                    {strings.Repeat("👩\u200d", textSize/7), strings.Repeat("🏽", textSize/4)},
		"Korean syllables":                {drawn(1, "", alphabet('가', 2000)), drawn(2, "", alphabet('가', 2000))},
		"Korean letters":                  {drawn(1, "", alphabet('\u1100', 20)), drawn(2, "", alphabet('\u1161', 20))},
		"no text":                         {strings.Repeat("\xff", textSize), strings.Repeat("\xfe\x80", textSize/2)},
		"Thai":                            {drawn(1, "", alphabet('ก', 40)), drawn(2, "", alphabet('ก', 40))},
	}
}

func BenchmarkSegments(b *testing.B) {
	pairs := hostile()
	names := make([]string, 0, len(pairs))
	for name := range pairs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n = len(diff.Segments(pairs[name][0], pairs[name][1]))
			}
			b.ReportMetric(float64(n), "segments")
		})
	}
}
