package schemadeploy

import (
	"fmt"

	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// compare plans the way from what is in force to what is proposed. The plan tells a collection that comes back from a new
// one, for it brings the entries that it had when it was removed.
func compare(set, gone Set, proposed []*schema.Collection) diff.Plan {
	plan := diff.Diff(set.Schemas(), proposed)
	for _, c := range proposed {
		d := gone.Get(c.Name)
		if d == nil {
			continue
		}
		for i := range plan.Operations {
			if o := &plan.Operations[i]; o.Collection == c.Name && o.Kind == diff.CollectionAdded {
				o.Message = comesBack(d, c)
			}
		}
	}
	return plan
}

func comesBack(d *Deployed, c *schema.Collection) string {
	if d.Hash == c.Hash() {
		return fmt.Sprintf("the collection comes back as it was when it was removed (version %d), with the entries that it had", d.Version)
	}
	return fmt.Sprintf("the collection comes back, with %s and the entries that it had when it was removed (version %d); where one does not fit, "+
		"push version %d again, delete the entry in a change set and publish it, then deploy this", schema.Count(len(c.Fields), "field"), d.Version, d.Version)
}
