package api

import (
	"net/http"

	"svc/core/wire"
	"svc/shared/credential"
	"svc/shared/schema"
)

const (
	get    = http.MethodGet
	post   = http.MethodPost
	put    = http.MethodPut
	patch  = http.MethodPatch
	remove = http.MethodDelete
)

var paging = []string{"limit", "cursor"}

// routes is every management route: method, path, summary, scope, parameters, handler. Public reads are in public.go, the
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
		{get, "/v1/auth/whoami", "Show who the credential stands for", "", nil, one(plain(whoami))},
		{get, "/v1/edges", "List the edges and how far behind each is", credential.OrgAdmin, nil, bare(plain(listEdges))},
		{get, "/v1/cores", "List the cores and their alarms", credential.OrgAdmin, nil, bare(plain(listCores))},

		{get, "/v1/organizations", "List organizations", "", paging, bare(plain(listOrganizations))},
		{post, "/v1/organizations", "Create an organization and its first API key", credential.OrgAdmin, nil, whole(created(one(take(createOrganization))))},
		{get, org, "Read an organization", "", nil, one(plain(getOrganization))},
		{patch, org, "Rename an organization", credential.OrgAdmin, nil, whole(one(take(updateOrganization)))},
		{remove, org, "Delete an organization", credential.OrgAdmin, nil, long(whole(empty(plain(deleteOrganization))))},
		{get, org + "/api-keys", "List the API keys of an organization", credential.OrgAdmin, paging, bare(plain(listKeys))},
		{post, org + "/api-keys", "Create an API key for an organization", credential.OrgAdmin, nil, created(bare(take(mintKey)))},
		{remove, org + "/api-keys/:key", "Revoke an API key of an organization", credential.OrgAdmin, nil, one(plain(revokeKey))},
		{post, org + "/projects", "Create a project", credential.OrgAdmin, nil, whole(created(one(take(createProject))))},

		{get, "/v1/projects", "List projects", "", paging, bare(plain(listProjects))},
		{get, project, "Read a project and its settings", "", nil, one(plain(getProject))},
		{patch, project, "Change the settings of a project", credential.ProjectAdmin, nil, long(whole(one(take(updateProject))))},
		{remove, project, "Delete a project", credential.ProjectAdmin, nil, long(whole(empty(plain(deleteProject))))},
		{get, project + "/pin", "Read which release a project is pinned to", credential.ProjectAdmin, nil, one(plain(getPin))},
		{put, project + "/pin", "Pin a project to a release", credential.ProjectAdmin, nil, waits(whole(one(take(putPin))))},
		{remove, project + "/pin", "Serve the newest release again", credential.ProjectAdmin, nil, waits(whole(empty(plain(deletePin))))},
		{get, project + "/api-keys", "List the API keys of a project", credential.ProjectAdmin, paging, bare(plain(listKeys))},
		{post, project + "/api-keys", "Create an API key for a project", credential.ProjectAdmin, nil, created(bare(take(mintKey)))},
		{remove, project + "/api-keys/:key", "Revoke an API key of a project", credential.ProjectAdmin, nil, one(plain(revokeKey))},

		{get, project + "/schema", "Read the deployed schemas", credential.SchemaRead, nil, one(plain(getSchema))},
		{post, project + "/schema/diff", "Compare schemas with the deployed ones", credential.SchemaRead, nil, upTo(schema.MaxSetBytes, long(dense(bare(take(diffSchema)))))},
		{post, project + "/schema/push", "Deploy schemas", credential.SchemaWrite, nil, upTo(schema.MaxSetBytes, long(dense(bare(take(pushSchema)))))},
		{get, project + "/schema/drift", "Compare the deployed schemas with those of another project", credential.SchemaRead, []string{"against"}, bare(plain(driftSchema))},
		{post, project + "/schema/promote", "Deploy the schemas of another project", credential.SchemaWrite, nil, long(bare(take(promoteSchema)))},
		{get, coll, "Read a collection", credential.SchemaRead, nil, one(plain(getCollection))},
		{get, coll + "/versions", "List the versions of a collection", credential.SchemaRead, paging, bare(plain(listVersions))},
		{get, coll + "/translations", "Show how far a collection is translated", credential.ContentRead, nil, long(one(plain(getTranslations)))},

		{post, coll + "/entries", "Create an entry", credential.ContentWrite, nil, upTo(entryLimit, created(one(take(createEntry))))},
		{post, coll + "/import", "Import entries", credential.ContentWrite, []string{"changeSetId", "changeSummary", "dryRun"}, upTo(entryLimit, long(one(raw[wire.Import, wire.ImportRow](importEntries))))},
		{post, coll + "/reorder", "Arrange the entries of a collection", credential.ContentWrite, nil, long(one(take(reorderEntries)))},
		{get, project + "/entries", "List entries with their published and draft heads", credential.ContentRead, []string{"collection", "status", "limit", "cursor"}, bare(plain(listEntries))},
		{get, entry, "Read an entry with its published and draft heads", credential.ContentRead, []string{"changeSetId"}, one(plain(getEntry))},
		{patch, entry, "Edit an entry", credential.ContentWrite, nil, upTo(entryLimit, one(take(patchEntry)))},
		{remove, entry, "Stage the deletion of an entry", credential.ContentWrite, []string{"changeSetId"}, bare(plain(deleteEntry))},
		{remove, entry + "/draft", "Delete a draft that no change set stages", credential.ContentWrite, nil, one(plain(discardDraft))},
		{post, entry + "/unpublish", "Stage the unpublishing of an entry", credential.ContentWrite, []string{"changeSetId"}, bare(plain(unpublishEntry))},
		{get, entry + "/revisions", "List the revisions of an entry", credential.ContentRead, paging, bare(plain(listRevisions))},
		{get, entry + "/revisions/:revision", "Read a revision of an entry", credential.ContentRead, nil, one(plain(getRevision))},

		{get, project + "/change-sets", "List change sets", credential.ContentRead, []string{"status", "limit", "cursor"}, bare(plain(listChangeSets))},
		{post, project + "/change-sets", "Create a change set", credential.ContentWrite, nil, created(one(take(createChangeSet)))},
		{get, set, "Read a change set", credential.ContentRead, nil, one(plain(getChangeSet))},
		{patch, set, "Change the title, description or status of a change set", credential.ContentWrite, nil, one(take(updateChangeSet))},
		{post, set + "/close", "Close a change set without publishing it", credential.ContentWrite, nil, one(plain(closeChangeSet))},
		{post, set + "/validate", "Check whether a change set can be published", credential.ContentRead, nil, long(bare(plain(validateChangeSet)))},
		{post, set + "/publish", "Publish a change set as the next release", credential.ContentPublish, nil, waits(long(bare(take(publishChangeSet))))},
		{get, set + "/items", "List the items of a change set", credential.ContentRead, paging, bare(plain(listItems))},
		{remove, set + "/items/:resource", "Take an item out of a change set", credential.ContentWrite, nil, one(plain(unstageItem))},

		{get, project + "/releases", "List releases", credential.ContentRead, paging, bare(plain(listReleases))},
		{get, project + "/releases/:release", "Read a release and what it changed", credential.ContentRead, nil, one(plain(getRelease))},
	}
}
