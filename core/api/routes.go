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
		{get, "/v1/auth/whoami", "", nil, 0, one(plain(whoami))},
		{get, "/v1/edges", credential.OrgAdmin, nil, 0, bare(plain(listEdges))},
		{get, "/v1/cores", credential.OrgAdmin, nil, 0, bare(plain(listCores))},

		{get, "/v1/organizations", "", paging, 0, bare(plain(listOrganizations))},
		{post, "/v1/organizations", credential.OrgAdmin, nil, 0, whole(created(one(take(createOrganization))))},
		{get, org, "", nil, 0, one(plain(getOrganization))},
		{patch, org, credential.OrgAdmin, nil, 0, whole(one(take(updateOrganization)))},
		{remove, org, credential.OrgAdmin, nil, 0, long(whole(empty(plain(deleteOrganization))))},
		{get, org + "/api-keys", credential.OrgAdmin, paging, 0, bare(plain(listKeys))},
		{post, org + "/api-keys", credential.OrgAdmin, nil, 0, created(bare(take(mintKey)))},
		{remove, org + "/api-keys/:key", credential.OrgAdmin, nil, 0, one(plain(revokeKey))},
		{post, org + "/projects", credential.OrgAdmin, nil, 0, whole(created(one(take(createProject))))},

		{get, "/v1/projects", "", paging, 0, bare(plain(listProjects))},
		{get, project, "", nil, 0, one(plain(getProject))},
		{patch, project, credential.ProjectAdmin, nil, 0, long(whole(one(take(updateProject))))},
		{remove, project, credential.ProjectAdmin, nil, 0, long(whole(empty(plain(deleteProject))))},
		{get, project + "/pin", credential.ProjectAdmin, nil, 0, one(plain(getPin))},
		{put, project + "/pin", credential.ProjectAdmin, nil, 0, whole(one(take(putPin)))},
		{remove, project + "/pin", credential.ProjectAdmin, nil, 0, whole(empty(plain(deletePin)))},
		{get, project + "/api-keys", credential.ProjectAdmin, paging, 0, bare(plain(listKeys))},
		{post, project + "/api-keys", credential.ProjectAdmin, nil, 0, created(bare(take(mintKey)))},
		{remove, project + "/api-keys/:key", credential.ProjectAdmin, nil, 0, one(plain(revokeKey))},

		{get, project + "/schema", credential.SchemaRead, nil, 0, one(plain(getSchema))},
		{post, project + "/schema/diff", credential.SchemaRead, nil, schema.MaxSetBytes, long(dense(bare(take(diffSchema))))},
		{post, project + "/schema/push", credential.SchemaWrite, nil, schema.MaxSetBytes, long(dense(bare(take(pushSchema))))},
		{get, project + "/schema/drift", credential.SchemaRead, []string{"against"}, 0, bare(plain(driftSchema))},
		{post, project + "/schema/promote", credential.SchemaWrite, nil, 0, long(bare(take(promoteSchema)))},
		{get, coll, credential.SchemaRead, nil, 0, one(plain(getCollection))},
		{get, coll + "/versions", credential.SchemaRead, paging, 0, bare(plain(listVersions))},
		{get, coll + "/translations", credential.ContentRead, nil, 0, long(one(plain(getTranslations)))},

		{post, coll + "/entries", credential.ContentWrite, nil, entryLimit, created(one(take(createEntry)))},
		{post, coll + "/import", credential.ContentWrite, []string{"changeSetId", "changeSummary", "dryRun"}, entryLimit, long(one(raw[wire.Import](importEntries)))},
		{post, coll + "/reorder", credential.ContentWrite, nil, 0, long(one(take(reorderEntries)))},
		{get, project + "/entries", credential.ContentRead, []string{"collection", "status", "limit", "cursor"}, 0, bare(plain(listEntries))},
		{get, entry, credential.ContentRead, []string{"changeSetId"}, 0, one(plain(getEntry))},
		{patch, entry, credential.ContentWrite, nil, entryLimit, one(take(patchEntry))},
		{remove, entry, credential.ContentWrite, []string{"changeSetId"}, 0, bare(plain(deleteEntry))},
		{remove, entry + "/draft", credential.ContentWrite, nil, 0, one(plain(discardDraft))},
		{post, entry + "/unpublish", credential.ContentWrite, []string{"changeSetId"}, 0, bare(plain(unpublishEntry))},
		{get, entry + "/revisions", credential.ContentRead, paging, 0, bare(plain(listRevisions))},
		{get, entry + "/revisions/:revision", credential.ContentRead, nil, 0, one(plain(getRevision))},

		{get, project + "/change-sets", credential.ContentRead, []string{"status", "limit", "cursor"}, 0, bare(plain(listChangeSets))},
		{post, project + "/change-sets", credential.ContentWrite, nil, 0, created(one(take(createChangeSet)))},
		{get, set, credential.ContentRead, nil, 0, one(plain(getChangeSet))},
		{patch, set, credential.ContentWrite, nil, 0, one(take(updateChangeSet))},
		{post, set + "/close", credential.ContentWrite, nil, 0, one(plain(closeChangeSet))},
		{post, set + "/validate", credential.ContentRead, nil, 0, long(bare(plain(validateChangeSet)))},
		{post, set + "/publish", credential.ContentPublish, nil, 0, long(bare(take(publishChangeSet)))},
		{get, set + "/items", credential.ContentRead, paging, 0, bare(plain(listItems))},
		{remove, set + "/items/:resource", credential.ContentWrite, nil, 0, one(plain(unstageItem))},

		{get, project + "/releases", credential.ContentRead, paging, 0, bare(plain(listReleases))},
		{get, project + "/releases/:release", credential.ContentRead, nil, 0, one(plain(getRelease))},
	}
}
