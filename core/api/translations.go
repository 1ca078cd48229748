package api

import (
	"svc/core/schemadeploy"
	"svc/core/wire"
)

// getTranslations says how far each locale of a collection is.
func getTranslations(c *call) (wire.Coverage, error) {
	name := c.param("collection")
	coverage, err := schemadeploy.Translations(c.ctx(), c.server.Pool, c.project.ID, name)
	if err != nil {
		return wire.Coverage{}, err
	}
	body := wire.Coverage{Collection: name, Entries: coverage.Entries, Fields: coverage.Fields, Locales: make([]wire.LocaleCoverage, len(coverage.Locales))}
	for i, l := range coverage.Locales {
		of := wire.LocaleCoverage{Locale: l.Locale, Complete: l.Complete, Percent: l.Percent}
		for _, m := range l.Missing {
			of.Missing = append(of.Missing, wire.MissingField(m))
		}
		for _, e := range l.Worklist {
			of.Worklist = append(of.Worklist, wire.MissingEntry(e))
		}
		body.Locales[i] = of
	}
	return body, nil
}
