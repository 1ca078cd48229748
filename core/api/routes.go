package api

import (
	"net/http"

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

// routes is every management route: method, path, scope, parameters, handler. Public reads are in public.go, the
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
		{get, "/v1/auth/whoami", "", nil, 0, plain(whoami)},
		{get, "/v1/edges", credential.OrgAdmin, nil, 0, plain(listEdges)},
		{get, "/v1/cores", credential.OrgAdmin, nil, 0, plain(listCores)},

		{get, "/v1/organizations", "", paging, 0, plain(listOrganizations)},
		{post, "/v1/organizations", credential.OrgAdmin, nil, 0, whole(take(createOrganization))},
		{get, org, "", nil, 0, plain(getOrganization)},
		{patch, org, credential.OrgAdmin, nil, 0, whole(take(updateOrganization))},
		{remove, org, credential.OrgAdmin, nil, 0, long(whole(plain(deleteOrganization)))},
		{get, org + "/api-keys", credential.OrgAdmin, paging, 0, plain(listKeys)},
		{post, org + "/api-keys", credential.OrgAdmin, nil, 0, take(mintKey)},
		{remove, org + "/api-keys/:key", credential.OrgAdmin, nil, 0, plain(revokeKey)},
		{post, org + "/projects", credential.OrgAdmin, nil, 0, whole(take(createProject))},

		{get, "/v1/projects", "", paging, 0, plain(listProjects)},
		{get, project, "", nil, 0, plain(getProject)},
		{patch, project, credential.ProjectAdmin, nil, 0, long(whole(take(updateProject)))},
		{remove, project, credential.ProjectAdmin, nil, 0, long(whole(plain(deleteProject)))},
		{get, project + "/pin", credential.ProjectAdmin, nil, 0, plain(getPin)},
		{put, project + "/pin", credential.ProjectAdmin, nil, 0, whole(take(putPin))},
		{remove, project + "/pin", credential.ProjectAdmin, nil, 0, whole(plain(deletePin))},
		{get, project + "/api-keys", credential.ProjectAdmin, paging, 0, plain(listKeys)},
		{post, project + "/api-keys", credential.ProjectAdmin, nil, 0, take(mintKey)},
		{remove, project + "/api-keys/:key", credential.ProjectAdmin, nil, 0, plain(revokeKey)},

		{get, project + "/schema", credential.SchemaRead, nil, 0, plain(getSchema)},
		{post, project + "/schema/diff", credential.SchemaRead, nil, schema.MaxSetBytes, long(dense(take(diffSchema)))},
		{post, project + "/schema/push", credential.SchemaWrite, nil, schema.MaxSetBytes, long(dense(take(pushSchema)))},
		{get, project + "/schema/drift", credential.SchemaRead, []string{"against"}, 0, plain(driftSchema)},
		{post, project + "/schema/promote", credential.SchemaWrite, nil, 0, long(take(promoteSchema))},
		{get, coll, credential.SchemaRead, nil, 0, plain(getCollection)},
		{get, coll + "/versions", credential.SchemaRead, paging, 0, plain(listVersions)},
		{get, coll + "/translations", credential.ContentRead, nil, 0, long(plain(getTranslations))},

		{post, coll + "/entries", credential.ContentWrite, nil, entryLimit, take(createEntry)},
		{post, coll + "/import", credential.ContentWrite, []string{"changeSetId", "changeSummary", "dryRun"}, entryLimit, long(raw(importEntries))},
		{post, coll + "/reorder", credential.ContentWrite, nil, 0, long(take(reorderEntries))},
		{get, project + "/entries", credential.ContentRead, []string{"collection", "status", "limit", "cursor"}, 0, plain(listEntries)},
		{get, entry, credential.ContentRead, []string{"changeSetId"}, 0, plain(getEntry)},
		{patch, entry, credential.ContentWrite, nil, entryLimit, take(patchEntry)},
		{remove, entry, credential.ContentWrite, []string{"changeSetId"}, 0, plain(deleteEntry)},
		{remove, entry + "/draft", credential.ContentWrite, nil, 0, plain(discardDraft)},
		{post, entry + "/unpublish", credential.ContentWrite, []string{"changeSetId"}, 0, plain(unpublishEntry)},
		{get, entry + "/revisions", credential.ContentRead, paging, 0, plain(listRevisions)},
		{get, entry + "/revisions/:revision", credential.ContentRead, nil, 0, plain(getRevision)},

		{get, project + "/change-sets", credential.ContentRead, []string{"status", "limit", "cursor"}, 0, plain(listChangeSets)},
		{post, project + "/change-sets", credential.ContentWrite, nil, 0, take(createChangeSet)},
		{get, set, credential.ContentRead, nil, 0, plain(getChangeSet)},
		{patch, set, credential.ContentWrite, nil, 0, take(updateChangeSet)},
		{post, set + "/close", credential.ContentWrite, nil, 0, plain(closeChangeSet)},
		{post, set + "/validate", credential.ContentRead, nil, 0, long(plain(validateChangeSet))},
		{post, set + "/publish", credential.ContentPublish, nil, 0, long(take(publishChangeSet))},
		{get, set + "/items", credential.ContentRead, paging, 0, plain(listItems)},
		{remove, set + "/items/:resource", credential.ContentWrite, nil, 0, plain(unstageItem)},

		{get, project + "/releases", credential.ContentRead, paging, 0, plain(listReleases)},
		{get, project + "/releases/:release", credential.ContentRead, nil, 0, plain(getRelease)},
	}
}
