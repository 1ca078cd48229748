package schema

import "testing"

func TestFamiliesAcceptTypes(t *testing.T) {
	for _, tt := range []struct {
		allowed string // as an option; empty is none
		accepts []string
		refuses []string
	}{
		{``, []string{"image/png", "text/plain", "application/x-anything"}, nil},
		{`"allowed":["*/*"],`, []string{"image/png", "video/mp4"}, nil},
		{`"allowed":["image/*"],`, []string{"image/png", "IMAGE/PNG", "image/svg+xml", " image/png ; q=1"}, []string{"imagex/png", "video/mp4", "image", ""}},
		{`"allowed":["image/png"],`, []string{"image/png", "image/PNG;charset=x"}, []string{"image/pngx", "image/*", "image/jpeg"}},
		{`"allowed":["video/*","application/pdf"],`, []string{"video/webm", "application/pdf"}, []string{"application/pdfx", "audio/ogg"}},
	} {
		for _, place := range []string{`{"type":"asset",` + tt.allowed + `"label":"F"}`, `{"type":"list","of":{` + tt.allowed + `"type":"asset"}}`} {
			c, err := Parse([]byte(field(place)))
			if err != nil {
				t.Fatal(err)
			}
			f := c.Field("f")
			if f.Of != nil {
				f = f.Of
			}
			for _, each := range tt.accepts {
				if !f.Accepts(each) {
					t.Errorf("%s refuses %q", place, each)
				}
			}
			for _, each := range tt.refuses {
				if f.Accepts(each) {
					t.Errorf("%s accepts %q", place, each)
				}
			}
		}
	}
}

func TestMIMEFamiliesAreWellFormed(t *testing.T) {
	for family, want := range map[string]bool{
		"*/*": true, "image/*": true, "image/png": true, "application/vnd.ms-excel": true, "image/svg+xml": true, "Image/PNG": true,
		"image": false, "image/": false, "/png": false, "*/png": false, "image/png; q=1": false, "image/png/x": false, "im age/png": false, "é/png": false, "-a/b": false,
	} {
		_, err := Parse([]byte(field(`{"type":"asset","allowed":["` + family + `"]}`)))
		if (err == nil) != want {
			t.Errorf("%q: %v", family, err)
		}
	}
}
