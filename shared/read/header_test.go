package read

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"svc/shared/testrand"
)

func TestCodingIsWhatTheCallerLikesBest(t *testing.T) {
	for header, want := range map[string]Coding{
		"":                                 "",
		"gzip":                             "gzip",
		"GZip":                             "gzip",
		"x-gzip":                           "gzip",
		"gzip, deflate":                    "gzip",
		"gzip, deflate, br":                "br",
		"gzip, deflate, br, zstd":          "zstd",
		"zstd;q=0.5, br;q=0.9, gzip;q=0.9": "br",
		"br;q=0, gzip;q=0.001":             "gzip",
		"*":                                "zstd",
		"*;q=0.5, gzip":                    "gzip",
		"zstd;q=0, *;q=0.3":                "br",
		"identity":                         "",
		"identity, gzip;q=0.5":             "",
		"identity;q=0.5, gzip;q=0.5":       "gzip",
		"identity;q=0":                     "",
		"identity;q=0, gzip;q=0":           "",
		"deflate, compress":                "",
		"gzip;q=2":                         "",
		"gzip;q=x":                         "",
		"gzip;q=NaN":                       "",
		"gzip;level=9":                     "gzip",
		"gzip;level=9;q=0, br;q=0.1":       "br",
		"gzip;q=1e-1":                      "",
		" br ; q = 1.0 ,, ":                "br",
		";q=1":                             "",
	} {
		if got := negotiate(header); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

func TestCodedBodiesComeBackAndAreTheSameEachTime(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		body := []byte(strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(0, 300).Draw(t, "times")))
		for _, c := range codings {
			first, err := c.compress(nil, body)
			if err != nil {
				t.Fatal(err)
			}
			second, err := c.compress([]byte("prefix"), body)
			if err != nil || !bytes.Equal(second, append([]byte("prefix"), first...)) {
				t.Fatalf("%s: the same body was coded in two ways", c)
			}
			if back := decoded(t, c, first); !bytes.Equal(back, body) {
				t.Fatalf("%s: %d bytes came back as %d", c, len(body), len(back))
			}
		}
	})
}

func decoded(t fataler, c Coding, b []byte) []byte {
	var r io.Reader
	var err error
	switch c {
	case "zstd":
		var d *zstd.Decoder
		if d, err = zstd.NewReader(bytes.NewReader(b)); err == nil {
			defer d.Close()
			r = d
		}
	case "br":
		r = brotli.NewReader(bytes.NewReader(b))
	case "gzip":
		r, err = gzip.NewReader(bytes.NewReader(b))
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestIfNoneMatch(t *testing.T) {
	const tag = "00ff"
	for header, want := range map[string]string{ // the coding, or "-" for no match
		`"00ff"`:                     "",
		`W/"00ff"`:                   "",
		`"00ff-gzip"`:                "gzip",
		`W/"00ff-zstd"`:              "zstd",
		`"x", "00ff-br"`:             "br",
		`"x","y" , W/"00ff"`:         "",
		`*`:                          "",
		"\t* ":                       "",
		`"x", *`:                     "-",
		`*, "x"`:                     "-",
		`"a,\"b", *`:                 "-",
		`"00ff-deflate"`:             "-",
		`"00ff-"`:                    "-",
		`"00ff"x"`:                   "",
		`"000ff"`:                    "-",
		`"00fff"`:                    "-",
		`00ff`:                       "-",
		`"00ff`:                      "-",
		``:                           "-",
		`, ,`:                        "-",
		`w/"00ff"`:                   "-",
		`"` + strings.Repeat("x", 9): "-",
	} {
		c, ok := match(header, tag)
		got := string(c)
		if !ok {
			got = "-"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}
