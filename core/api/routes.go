package api

import (
	"net/http"

	"svc/core/wire"
	"svc/shared/credential"
)

const (
	get    = http.MethodGet
	post   = http.MethodPost
	put    = http.MethodPut
	patch  = http.MethodPatch
	remove = http.MethodDelete
)

var paging = []string{"limit", "cursor"}

// routes is every management route: method, path, summary, scope, parameters, handler, traits. Public reads are in public.go, the
// routes between core and edges in internal.go.
func routes() []route {
	const (
		org     = "/v1/organizations/:organization"
		project = "/v1/projects/:project"
		coll    = project + "/collections/:collection"
		entry   = project + "/entries/:entry"
		set     = project + "/change-sets/:changeSet"
	)
	return []route{
		{get, "/v1/auth/whoami", "Show who the credential stands for", "", nil, one(plain(whoami)), 0},
		{get, "/v1/edges", "List the edges and how far behind each is", credential.OrgAdmin, nil, bare(plain(listEdges)), 0},
		{get, "/v1/cores", "List the cores and their alarms", credential.OrgAdmin, nil, bare(plain(listCores)), 0},

		{get, "/v1/organizations", "List organizations", "", paging, bare(plain(listOrganizations)), 0},
		{post, "/v1/organizations", "Create an organization and its first API key", credential.OrgAdmin, nil, one(take(createOrganization)), created | whole},
		{get, org, "Read an organization", "", nil, one(plain(getOrganization)), 0},
		{patch, org, "Rename an organization", credential.OrgAdmin, nil, one(take(updateOrganization)), whole},
		{remove, org, "Delete an organization", credential.OrgAdmin, nil, empty(plain(deleteOrganization)), whole | long},
		{get, org + "/api-keys", "List the API keys of an organization", credential.OrgAdmin, paging, bare(plain(listKeys)), 0},
		{post, org + "/api-keys", "Create an API key for an organization", credential.OrgAdmin, nil, bare(take(mintKey)), created},
		{remove, org + "/api-keys/:key", "Revoke an API key of an organization", credential.OrgAdmin, nil, one(plain(revokeKey)), 0},
		{get, org + "/usage", "Show what an organization used this month, beside its plan, and by day", credential.OrgAdmin, []string{"from", "to"}, one(plain(showUsage)), 0},
		{post, org + "/projects", "Create a project", credential.OrgAdmin, nil, one(take(createProject)), created | whole},

		{get, "/v1/projects", "List projects", "", paging, bare(plain(listProjects)), 0},
		{get, project, "Read a project and its settings", "", nil, one(plain(getProject)), 0},
		{patch, project, "Change the settings of a project", credential.ProjectAdmin, nil, one(take(updateProject)), whole | long},
		{remove, project, "Delete a project", credential.ProjectAdmin, nil, empty(plain(deleteProject)), whole | long},
		{get, project + "/pin", "Read which release a project is pinned to", credential.ProjectAdmin, nil, one(plain(getPin)), 0},
		{put, project + "/pin", "Pin a project to a release", credential.ProjectAdmin, nil, one(take(putPin)), whole | waits},
		{remove, project + "/pin", "Serve the newest release again", credential.ProjectAdmin, nil, empty(plain(deletePin)), whole | waits},
		{get, project + "/access", "Explain what the credential may do, and why a call is denied", "", []string{"capability", "route", "tool", "collection"}, one(plain(explainAccess)), explains},
		{get, project + "/cors-check", "Explain whether pages of an origin may read a project", "", []string{"origin", "collection"}, one(plain(checkCORS)), anywhere},
		{get, project + "/api-keys", "List the API keys of a project", credential.ProjectAdmin, paging, bare(plain(listKeys)), 0},
		{post, project + "/api-keys", "Create an API key for a project", credential.ProjectAdmin, nil, bare(take(mintKey)), created},
		{remove, project + "/api-keys/:key", "Revoke an API key of a project", credential.ProjectAdmin, nil, one(plain(revokeKey)), 0},

		{get, project + "/schema", "Read the deployed schemas", credential.SchemaRead, nil, one(plain(getSchema)), 0},
		{post, project + "/schema/diff", "Compare schemas with the deployed ones", credential.SchemaRead, nil, bare(take(diffSchema)), long | schemas},
		{post, project + "/schema/push", "Deploy schemas", credential.SchemaWrite, nil, bare(take(pushSchema)), long | schemas},
		{get, project + "/schema/drift", "Compare the deployed schemas with those of another project", credential.SchemaRead, []string{"against"}, bare(plain(driftSchema)), 0},
		{post, project + "/schema/promote", "Deploy the schemas of another project", credential.SchemaWrite, nil, bare(take(promoteSchema)), long},
		{get, coll, "Read a collection", credential.SchemaRead, nil, one(plain(getCollection)), 0},
		{get, coll + "/versions", "List the versions of a collection", credential.SchemaRead, paging, bare(plain(listVersions)), 0},
		{get, coll + "/translations", "Show how far a collection is translated", credential.ContentRead, nil, one(plain(getTranslations)), long},

		{post, coll + "/entries", "Create an entry", credential.ContentWrite, nil, one(take(createEntry)), created | entries},
		{post, coll + "/import", "Import entries", credential.ContentWrite, []string{"changeSetId", "changeSummary", "dryRun"}, one(raw[wire.Import, wire.ImportRow](importEntries)), long | entries},
		{post, coll + "/reorder", "Arrange the entries of a collection", credential.ContentWrite, nil, one(take(reorderEntries)), long},
		{get, project + "/entries", "List entries with their published and draft heads", credential.ContentRead, []string{"collection", "status", "slug", "q", "updatedSince", "updatedBy", "limit", "cursor"}, bare(plain(listEntries)), 0},
		{get, entry, "Read an entry with its published and draft heads", credential.ContentRead, []string{"changeSetId"}, one(plain(getEntry)), 0},
		{patch, entry, "Edit an entry", credential.ContentWrite, nil, one(take(patchEntry)), entries},
		{remove, entry, "Stage the deletion of an entry", credential.ContentWrite, []string{"changeSetId"}, bare(plain(deleteEntry)), 0},
		{remove, entry + "/draft", "Delete a draft that no change set stages", credential.ContentWrite, nil, one(plain(discardDraft)), 0},
		{post, entry + "/unpublish", "Stage the unpublishing of an entry", credential.ContentWrite, []string{"changeSetId"}, bare(plain(unpublishEntry)), 0},
		{get, entry + "/references", "List what an entry refers to, and what refers to it", credential.ContentRead, nil, one(plain(referencesOfEntry)), 0},
		{post, entry + "/restore", "Stage the content of an earlier revision", credential.ContentWrite, nil, one(take(restoreEntry)), 0},
		{post, entry + "/undelete", "Stage the last content of a deleted entry", credential.ContentWrite, nil, one(take(undeleteEntry)), 0},
		{post, entry + "/duplicate", "Create an entry with the content of another one", credential.ContentWrite, nil, one(take(duplicateEntry)), created},
		{get, entry + "/revisions", "List the revisions of an entry", credential.ContentRead, paging, bare(plain(listRevisions)), 0},
		{get, entry + "/revisions/:revision", "Read a revision of an entry", credential.ContentRead, nil, one(plain(getRevision)), 0},

		{get, project + "/change-sets", "List change sets", credential.ContentRead, []string{"status", "limit", "cursor"}, bare(plain(listChangeSets)), 0},
		{post, project + "/change-sets", "Create a change set", credential.ContentWrite, nil, one(take(createChangeSet)), created},
		{get, set, "Read a change set", credential.ContentRead, nil, one(plain(getChangeSet)), 0},
		{patch, set, "Change the title, description or status of a change set", credential.ContentWrite, nil, one(take(updateChangeSet)), 0},
		{post, set + "/close", "Close a change set without publishing it", credential.ContentWrite, nil, one(plain(closeChangeSet)), 0},
		{post, set + "/validate", "Check whether a change set can be published", credential.ContentRead, nil, bare(plain(validateChangeSet)), long},
		{post, set + "/publish", "Publish a change set as the next release", credential.ContentPublish, nil, bare(take(publishChangeSet)), long | waits},
		{get, set + "/items", "List the items of a change set", credential.ContentRead, paging, bare(plain(listItems)), 0},
		{get, set + "/diff", "Show what a change set changes, field by field", credential.ContentRead, paging, bare(plain(diffChangeSet)), 0},
		{post, set + "/rebase", "Replay a change set on what is published now", credential.ContentWrite, nil, one(take(rebaseChangeSet)), long},
		{remove, set + "/items/:resource", "Take an item out of a change set", credential.ContentWrite, nil, one(plain(unstageItem)), 0},
		{post, set + "/previews", "Create a preview token of a change set, or of one entry of it", credential.ContentWrite, nil, one(take(createPreview)), created},
		{get, set + "/previews", "List the preview tokens of a change set", credential.ContentRead, paging, bare(plain(listPreviews)), 0},
		{get, project + "/previews", "List the preview tokens of a project", credential.ContentRead, paging, bare(plain(listPreviews)), 0},
		{get, project + "/previews/:preview", "Read a preview token, without its secret", credential.ContentRead, nil, one(plain(getPreview)), 0},
		{remove, project + "/previews/:preview", "Revoke a preview token", credential.ContentWrite, nil, one(plain(revokePreview)), 0},

		{get, project + "/releases", "List releases", credential.ContentRead, paging, bare(plain(listReleases)), 0},
		{get, project + "/releases/:release", "Read a release and what it changed", credential.ContentRead, nil, one(plain(getRelease)), 0},
		{post, project + "/releases/:release/revert", "Draft a change set with the state before a release", credential.ContentWrite, nil, one(take(revertRelease)), created | long},
	}
}
