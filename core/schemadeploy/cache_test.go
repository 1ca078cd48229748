package schemadeploy

import (
	"fmt"
	"strings"
	"testing"

	"svc/shared/schema"
)

// TestTheSchemasKeptAreBounded by what they take: few that are large, or short ones with patterns that expand to much.
func TestTheSchemasKeptAreBounded(t *testing.T) {
	t.Parallel()
	var fields []string
	for i := range 20 {
		fields = append(fields, fmt.Sprintf(`"f%d":{"type":"text","pattern":"^[a-z]{1,900}$"}`, i))
	}
	for name, text := range map[string]string{
		"large":    `{"name":"a","guidance":"` + strings.Repeat("x", 500_000) + `","fields":{}}`,
		"patterns": `{"name":"a","fields":{` + strings.Join(fields, ",") + `}}`,
	} {
		large, err := schema.Parse([]byte(text))
		if err != nil {
			t.Fatal(name, err)
		}
		c := cache{byHash: map[string]*schema.Collection{}}
		most := maxParsedMemory / large.Memory()
		for i := range 2 * most {
			c.put(fmt.Sprint(i), large)
			c.put(fmt.Sprint(i), large)
			if c.get(fmt.Sprint(i), "a") == nil {
				t.Fatalf("%s: the newest is not kept", name)
			}
			if kept := len(c.byHash); kept > most || c.memory != kept*large.Memory() {
				t.Fatalf("%s: %d of %d bytes are kept, told as %d", name, kept, large.Memory(), c.memory)
			}
		}
		if most < 3 || most > 100 {
			t.Errorf("%s: %d are kept", name, most)
		}
	}
}
