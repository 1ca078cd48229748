package api

import (
	"svc/core/schemadeploy"
	"svc/shared/content"
)

type coverageBody struct {
	Collection string               `json:"collection"`
	Entries    int                  `json:"entries"`
	Fields     []string             `json:"fields"`
	Locales    []localeCoverageBody `json:"locales"`
}

type localeCoverageBody struct {
	Locale   string             `json:"locale"`
	Complete int                `json:"completeEntries"`
	Percent  float64            `json:"percent"`
	Missing  []missingFieldBody `json:"missing"`
	Worklist []missingEntryBody `json:"worklist"`
}

type missingFieldBody struct {
	Field   string `json:"field"`
	Entries int    `json:"entries"`
}

type missingEntryBody struct {
	Entry  content.EntryID `json:"entryId"`
	Slug   *string         `json:"slug"`
	Fields []string        `json:"missing"`
}

// getTranslations says how far each locale of a collection is.
func getTranslations(c *call) (coverageBody, error) {
	name := c.param("collection")
	coverage, err := schemadeploy.Translations(c.ctx(), c.server.Pool, c.project.ID, name)
	if err != nil {
		return coverageBody{}, err
	}
	body := coverageBody{name, coverage.Entries, coverage.Fields, make([]localeCoverageBody, len(coverage.Locales))}
	for i, l := range coverage.Locales {
		of := localeCoverageBody{Locale: l.Locale, Complete: l.Complete, Percent: l.Percent}
		for _, m := range l.Missing {
			of.Missing = append(of.Missing, missingFieldBody(m))
		}
		for _, e := range l.Worklist {
			of.Worklist = append(of.Worklist, missingEntryBody(e))
		}
		body.Locales[i] = of
	}
	return body, nil
}
