package cli

import (
	"strings"
	"testing"

	"svc/shared/problem"
)

// What others stage while a person reads what is to be published is shown before anything is published, and what would be refused is
// not asked.
func TestAPublishIsOfWhatWasShown(t *testing.T) {
	t.Parallel()
	const set = "chs_00000000000000000000000002"
	for name, test := range map[string]struct {
		restaged  int
		wrong     bool
		flag      string
		answers   string
		exit      Exit
		shown     int
		published bool
		told      string
	}{
		"nothing else is staged":     {0, false, "--json", "y\n", ExitOK, 1, true, "1 to create, 1 to update, 1 to unpublish, 1 to delete\nwarning: posts/post-unpublish  "},
		"before the answer":          {1, false, "--json", "y\n4\n", ExitOK, 2, true, "warning: the change set has changed since it was shown"},
		"and that is not wanted":     {1, false, "--json", "y\nn\n", ExitFailed, 2, false, "not confirmed; nothing was changed"},
		"and yes was typed ahead":    {1, false, "--json", "y\ny\n", ExitFailed, 2, false, "Then type the number of items, 4: error: not confirmed"},
		"it would be refused":        {0, true, "--json", "y\n", ExitValidation, 1, false, "error: the change set has 1 fault"},
		"with --yes it is not asked": {1, false, "--yes", "", ExitOK, 0, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			withContent(d)
			d.restaged = test.restaged
			if test.wrong {
				d.errors = []issue{{Issue: problem.Issue{ResourceType: "entry", Path: "fields.title", Code: "required", Message: "is required"}}}
			}
			p := d.call(call{args: []string{"change-sets", "publish", set, test.flag}, terminal: true, in: test.answers, env: map[string]string{"NO_COLOR": "1"}})
			published := len(d.releases) > 0
			if p.exit != test.exit || strings.Count(p.err, " to create, ") != test.shown || published != test.published || !strings.Contains(p.err, test.told) {
				t.Errorf("exit %d, published: %t\n%s%s", p.exit, published, p.out, p.err)
			}
			if asked := strings.Count(p.err, "Go on with publishing"); asked != strings.Count(test.answers, "\n") && !test.wrong || asked > 0 && test.wrong {
				t.Errorf("asked %d times:\n%s", asked, p.err)
			}
		})
	}
}
