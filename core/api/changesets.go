package api

import (
	"svc/core/changeset"
	"svc/shared/content"
)

type changeSetBody struct {
	ID            content.ChangeSetID     `json:"id"`
	Title         string                  `json:"title"`
	Description   string                  `json:"description"`
	Status        content.ChangeSetStatus `json:"status"`
	ScheduledAt   *stamp                  `json:"scheduledAt"`
	ReleaseNumber *uint64                 `json:"releaseNumber"`
	CreatedBy     *string                 `json:"createdBy"`
	CreatedAt     stamp                   `json:"createdAt"`
	UpdatedAt     stamp                   `json:"updatedAt"`
}

func changeSetOf(s changeset.ChangeSet) changeSetBody {
	body := changeSetBody{
		ID: s.ID, Title: s.Title, Description: s.Description, Status: s.Status, CreatedBy: orNull(s.CreatedBy),
		CreatedAt: stamp(s.CreatedAt), UpdatedAt: stamp(s.UpdatedAt),
	}
	if s.ReleaseNumber > 0 {
		body.ReleaseNumber = &s.ReleaseNumber
	}
	return body
}

// changeSetResult answers with a set, or with the failure to get it.
func changeSetResult(s *changeset.ChangeSet, err error) (changeSetBody, error) {
	if err != nil {
		return changeSetBody{}, err
	}
	return changeSetOf(*s), nil
}

func listChangeSets(c *call) (listing[changeSetBody], error) {
	page, err := c.page()
	if err != nil {
		return listing[changeSetBody]{}, err
	}
	list, err := changeset.List(c.ctx(), c.server.Pool, c.project.ID, content.ChangeSetStatus(c.query.Get("status")), page)
	return listingOf(list, changeSetOf, err)
}

type newChangeSet struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

func createChangeSet(c *call, in newChangeSet) (changeSetBody, error) {
	return changeSetResult(changeset.Create(c.ctx(), c.server.Pool, c.actor, c.project.ID, changeset.NewChangeSet(in)))
}

func getChangeSet(c *call) (changeSetBody, error) {
	return changeSetResult(changeset.Get(c.ctx(), c.server.Pool, c.project.ID, c.param("changeSet")))
}

type changeSetEdit struct {
	Title       optional[string]                  `json:"title"`
	Description clearable                         `json:"description"`
	Status      optional[content.ChangeSetStatus] `json:"status"`
}

// updateChangeSet, closeChangeSet, validateChangeSet and publishChangeSet are about the set as a whole: a key confined to
// collections must cover everything that it stages.
func updateChangeSet(c *call, in changeSetEdit) (changeSetBody, error) {
	edit := changeset.Edit{Title: in.Title.value, Description: in.Description.text, Status: in.Status.value}
	return changeSetResult(changeset.Patch(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), edit))
}

func closeChangeSet(c *call) (changeSetBody, error) {
	return changeSetResult(changeset.Close(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet")))
}

type itemBody struct {
	ResourceType     content.ResourceType `json:"resourceType"`
	ResourceID       string               `json:"resourceId"`
	Operation        content.Operation    `json:"operation"`
	BaseRevisionID   *content.RevisionID  `json:"baseRevisionId"`
	TargetRevisionID *content.RevisionID  `json:"targetRevisionId"`
	Collection       string               `json:"collection"`
	Slug             *string              `json:"slug"`
	ChangeSummary    string               `json:"changeSummary"`
	StagedAt         stamp                `json:"stagedAt"`
}

// listItems shows a key confined to collections its items alone.
func listItems(c *call) (listing[itemBody], error) {
	page, err := c.page()
	if err != nil {
		return listing[itemBody]{}, err
	}
	list, err := changeset.Items(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), page)
	return listingOf(list, func(i changeset.Item) itemBody {
		return itemBody{
			i.ResourceType, i.ResourceID, i.Operation, i.BaseRevisionID, i.TargetRevisionID, i.Collection, i.Slug,
			i.ChangeSummary, stamp(i.StagedAt),
		}
	}, err)
}

// unstageItem takes out one item, of a collection that the key covers.
func unstageItem(c *call) (changeSetBody, error) {
	return changeSetResult(changeset.Unstage(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), c.param("resource")))
}

// issueBody is one finding of validate.
type issueBody struct {
	ResourceType string `json:"resourceType"`
	ResourceID   string `json:"resourceId"`
	Path         string `json:"path"`
	Message      string `json:"message"`
	Code         string `json:"code"`
}

// warningBody is something to know of before a publish, or to be told after it.
type warningBody struct {
	ResourceType string            `json:"resourceType"`
	ResourceID   string            `json:"resourceId"`
	Message      string            `json:"message"`
	Code         string            `json:"code"`
	ReferencedBy []content.EntryID `json:"referencedBy"`
}

func warningsOf(found []changeset.Warning) []warningBody {
	warnings := make([]warningBody, len(found))
	for i, w := range found {
		warnings[i] = warningBody(w)
	}
	return warnings
}

// validationBody is what validate finds.
type validationBody struct {
	Valid    bool          `json:"valid"`
	Detail   string        `json:"detail,omitempty"`
	Errors   []issueBody   `json:"errors"`
	Warnings []warningBody `json:"warnings"`
}

// validateChangeSet answers with the detail of the problem that a publish would be refused with too: an empty set has no entry
// that an error could be about.
func validateChangeSet(c *call) (validationBody, error) {
	found, err := changeset.Validate(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"))
	if err != nil {
		return validationBody{}, err
	}
	issues := make([]issueBody, len(found.Errors))
	for i, f := range found.Errors {
		issues[i] = issueBody{f.ResourceType, f.ResourceID, f.Path, f.Message, f.Code}
	}
	return validationBody{found.Detail == "", found.Detail, issues, warningsOf(found.Warnings)}, nil
}

type confirmation struct {
	Confirm bool `json:"confirm"`
}

// publishedBody is what a publish did.
type publishedBody struct {
	ChangeSet changeSetBody     `json:"changeSet"`
	Entries   []content.EntryID `json:"publishedEntryIds"`
	Warnings  []warningBody     `json:"warnings"`
}

func publishChangeSet(c *call, in confirmation) (publishedBody, error) {
	out, err := changeset.Publish(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), in.Confirm)
	if err != nil {
		return publishedBody{}, err
	}
	c.awaitEdges(string(c.project.ID), out.Position.Seq)
	return publishedBody{changeSetOf(*out.ChangeSet), out.EntryIDs, warningsOf(out.Warnings)}, nil
}
