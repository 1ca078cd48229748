package cli

import (
	"strings"
	"testing"

	"svc/shared/schema"
)

// withPast lets the service have deployed 120 versions of tags, and removed them.
func withPast(d *desk) {
	d.past = map[string][]*schema.Collection{}
	for n := range 120 {
		label := "Tags " + decimal(uint64(n+1))
		d.past["tags"] = append(d.past["tags"], parsed(strings.Replace(tagsJSON, `"Tags"`, `"`+label+`"`, 1)))
	}
}

// An earlier version comes back into the folder by one command, also where the collection was removed.
func TestInspectShowsAnEarlierVersion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withPast(d)
	for _, version := range []string{"1", "120"} {
		p := d.svc("schema", "inspect", "tags", "--version", version, "--source")
		if p.exit != ExitOK || p.out != typed(t, strings.Replace(tagsJSON, `"Tags"`, `"Tags `+version+`"`, 1)) {
			t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
		}
	}
	p := d.svc("schema", "inspect", "tags", "--version", "3")
	for _, part := range []string{"tags, Tags 3", "3 of demo, pushed at 2026-03-01T12:02:00.000Z", "name   text  required"} {
		if p.exit != ExitOK || !strings.Contains(p.out, part) {
			t.Errorf("exit %d, and not %q in: %s%s", p.exit, part, p.out, p.err)
		}
	}
	p = d.svc("schema", "inspect", "tags", "--version", "3", "--source", "--json")
	if p.exit != ExitOK || !strings.Contains(p.out, `"name":"tags","version":3,"hash":"`) || !strings.Contains(p.out, `"source":"import {`) {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}

func TestInspectPrintsTheFileOfALocalCollection(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("svc/schema/pages.js", pagesFile)
	p := d.svc("schema", "inspect", "pages", "--source")
	if p.exit != ExitOK || p.out != typed(t, `{"name": "pages", "fields": {"title": {"type": "text"}}}`) {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}

func TestInspectRefusesWhatIsNoVersion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withPast(d)
	for _, tt := range []struct {
		args string
		exit Exit
		says string
	}{
		{"tags --version 121", ExitFailed, "the collection tags of demo has no version 121 [FAILED]\nhint: the newest one is 120"},
		{"notes --version 1", ExitFailed, `the project has no collection "notes"`},
		{"tags --version 0", ExitUsage, "versions count from 1"},
		{"Tags --version 1", ExitUsage, "is no name of a collection"},
		{"--version 1", ExitUsage, "the collection is not named"},
		{"--source", ExitUsage, "the collection is not named"},
	} {
		p := d.svc(append([]string{"schema", "inspect"}, strings.Fields(tt.args)...)...)
		if p.exit != tt.exit || !strings.Contains(p.err, tt.says) {
			t.Errorf("%s: exit %d: %s%s", tt.args, p.exit, p.out, p.err)
		}
	}
}
