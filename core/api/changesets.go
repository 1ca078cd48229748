package api

import (
	"net/http"

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

// changeSetReply answers with a set, or with the failure to get it.
func changeSetReply(s *changeset.ChangeSet, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return one(changeSetOf(*s)), nil
}

func listChangeSets(c *call) (reply, error) {
	page, err := c.page()
	if err != nil {
		return reply{}, err
	}
	list, err := changeset.List(c.ctx(), c.server.Pool, c.project.ID, content.ChangeSetStatus(c.query.Get("status")), page)
	return manyOf(list, changeSetOf, err)
}

type newChangeSet struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

func createChangeSet(c *call, in newChangeSet) (reply, error) {
	answer, err := changeSetReply(changeset.Create(c.ctx(), c.server.Pool, c.actor, c.project.ID, changeset.NewChangeSet(in)))
	return answer.as(http.StatusCreated), err
}

func getChangeSet(c *call) (reply, error) {
	return changeSetReply(changeset.Get(c.ctx(), c.server.Pool, c.project.ID, c.param("changeSet")))
}

type changeSetEdit struct {
	Title       optional[string]                  `json:"title"`
	Description clearable                         `json:"description"`
	Status      optional[content.ChangeSetStatus] `json:"status"`
}

// updateChangeSet, closeChangeSet, validateChangeSet and publishChangeSet are about the set as a whole: a key confined to
// collections must cover everything that it stages.
func updateChangeSet(c *call, in changeSetEdit) (reply, error) {
	edit := changeset.Edit{Title: in.Title.value, Description: in.Description.text, Status: in.Status.value}
	return changeSetReply(changeset.Patch(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), edit))
}

func closeChangeSet(c *call) (reply, error) {
	return changeSetReply(changeset.Close(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet")))
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
func listItems(c *call) (reply, error) {
	page, err := c.page()
	if err != nil {
		return reply{}, err
	}
	list, err := changeset.Items(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), page)
	return manyOf(list, func(i changeset.Item) itemBody {
		return itemBody{
			i.ResourceType, i.ResourceID, i.Operation, i.BaseRevisionID, i.TargetRevisionID, i.Collection, i.Slug,
			i.ChangeSummary, stamp(i.StagedAt),
		}
	}, err)
}

// unstageItem takes out one item, of a collection that the key covers.
func unstageItem(c *call) (reply, error) {
	return changeSetReply(changeset.Unstage(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), c.param("resource")))
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

// validateChangeSet answers with the detail of the problem that a publish would be refused with too: an empty set has no entry
// that an error could be about.
func validateChangeSet(c *call) (reply, error) {
	found, err := changeset.Validate(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"))
	if err != nil {
		return reply{}, err
	}
	issues := make([]issueBody, len(found.Errors))
	for i, f := range found.Errors {
		issues[i] = issueBody{f.ResourceType, f.ResourceID, f.Path, f.Message, f.Code}
	}
	return bare(struct {
		Valid    bool          `json:"valid"`
		Detail   string        `json:"detail,omitempty"`
		Errors   []issueBody   `json:"errors"`
		Warnings []warningBody `json:"warnings"`
	}{found.Detail == "", found.Detail, issues, warningsOf(found.Warnings)}), nil
}

type confirmation struct {
	Confirm bool `json:"confirm"`
}

func publishChangeSet(c *call, in confirmation) (reply, error) {
	out, err := changeset.Publish(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), in.Confirm)
	if err != nil {
		return reply{}, err
	}
	c.awaitEdges(string(c.project.ID), out.Position.Seq)
	return bare(struct {
		ChangeSet changeSetBody     `json:"changeSet"`
		Entries   []content.EntryID `json:"publishedEntryIds"`
		Warnings  []warningBody     `json:"warnings"`
	}{changeSetOf(*out.ChangeSet), out.EntryIDs, warningsOf(out.Warnings)}), nil
}
