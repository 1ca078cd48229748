package api

import (
	"net/http"
	"strings"

	"svc/core/openapi"
	"svc/shared/credential"
)

// takes is what a tool takes: what the route takes that does the same or, where there is none, a scope.
type takes struct {
	route string // method and path
	scope credential.Scope
}

// tools are the tools of the agent tool server (contract, "Agent tool server").
var tools = map[string]takes{
	"svc_list_projects":             {route: "GET /v1/projects"},
	"svc_get_project":               {route: "GET /v1/projects/:project"},
	"svc_list_collections":          {route: "GET /v1/projects/:project/collections"},
	"svc_get_collection_schema":     {route: "GET /v1/projects/:project/collections/:collection"},
	"svc_list_entries":              {route: "GET /v1/projects/:project/entries"},
	"svc_get_entry":                 {route: "GET /v1/projects/:project/entries/:entry"},
	"svc_create_change_set":         {route: "POST /v1/projects/:project/change-sets"},
	"svc_get_change_set":            {route: "GET /v1/projects/:project/change-sets/:changeSet"},
	"svc_create_entry":              {route: "POST /v1/projects/:project/collections/:collection/entries"},
	"svc_update_entry":              {route: "PATCH /v1/projects/:project/entries/:entry"},
	"svc_delete_entry":              {route: "DELETE /v1/projects/:project/entries/:entry"},
	"svc_unpublish_entry":           {route: "POST /v1/projects/:project/entries/:entry/unpublish"},
	"svc_duplicate_entry":           {scope: credential.ContentWrite},
	"svc_import_entries":            {route: "POST /v1/projects/:project/collections/:collection/import"},
	"svc_reorder_entries":           {route: "POST /v1/projects/:project/collections/:collection/reorder"},
	"svc_search_entries":            {route: "GET /v1/projects/:project/entries"},
	"svc_upload_asset":              {scope: credential.AssetsWrite},
	"svc_list_assets":               {scope: credential.AssetsRead},
	"svc_get_asset":                 {scope: credential.AssetsRead},
	"svc_update_asset":              {scope: credential.AssetsWrite},
	"svc_validate_change_set":       {route: "POST /v1/projects/:project/change-sets/:changeSet/validate"},
	"svc_create_preview":            {route: "POST /v1/projects/:project/change-sets/:changeSet/previews"},
	"svc_publish_change_set":        {route: "POST /v1/projects/:project/change-sets/:changeSet/publish"},
	"svc_schedule_change_set":       {scope: credential.ContentPublish},
	"svc_get_entry_revisions":       {route: "GET /v1/projects/:project/entries/:entry/revisions"},
	"svc_get_entry_references":      {scope: credential.ContentRead},
	"svc_restore_revision":          {scope: credential.ContentWrite},
	"svc_get_change_set_review":     {scope: credential.ContentRead},
	"svc_review_change_set":         {scope: credential.ContentReview},
	"svc_comment_on_change_set":     {scope: credential.ContentWrite},
	"svc_run_change_set_checks":     {scope: credential.ContentWrite},
	"svc_list_change_sets":          {route: "GET /v1/projects/:project/change-sets"},
	"svc_diff_change_set":           {scope: credential.ContentRead},
	"svc_rebase_change_set":         {scope: credential.ContentWrite},
	"svc_update_change_set":         {route: "PATCH /v1/projects/:project/change-sets/:changeSet"},
	"svc_close_change_set":          {route: "POST /v1/projects/:project/change-sets/:changeSet/close"},
	"svc_request_change_set_review": {scope: credential.ContentWrite},
	"svc_report_check_result":       {scope: credential.ContentReview},
	"svc_list_releases":             {route: "GET /v1/projects/:project/releases"},
	"svc_get_release":               {route: "GET /v1/projects/:project/releases/:release"},
	"svc_revert_release":            {scope: credential.ContentWrite},
	"svc_explain_denial":            {route: "GET /v1/projects/:project/access"},
	"svc_translation_coverage":      {route: "GET /v1/projects/:project/collections/:collection/translations"},
	"svc_list_reports":              {scope: credential.ReportsRead},
	"svc_get_report":                {scope: credential.ReportsRead},
	"svc_get_report_attachment":     {scope: credential.ReportsRead},
	"svc_reply_to_report":           {scope: credential.ReportsWrite},
	"svc_update_report":             {scope: credential.ReportsWrite},
	"svc_resolve_report":            {scope: credential.ReportsWrite},
	"svc_request_retest":            {scope: credential.ReportsWrite},
	"svc_report_digest":             {scope: credential.ReportsRead},
	"svc_find_similar_reports":      {scope: credential.ReportsRead},
	"svc_merge_report":              {scope: credential.ReportsWrite},
	"svc_move_report":               {scope: credential.ReportsWrite},
	"svc_list_reporters":            {scope: credential.ReportsRead},
	"svc_get_reporter":              {scope: credential.ReportsRead},
	"svc_block_reporter":            {scope: credential.ReportsWrite},
	"svc_analytics_overview":        {scope: credential.AnalyticsRead},
	"svc_analytics_breakdown":       {scope: credential.AnalyticsRead},
	"svc_analytics_events":          {scope: credential.AnalyticsRead},
	"svc_describe_analytics_event":  {scope: credential.AnalyticsWrite},
	"svc_analytics_funnel":          {scope: credential.AnalyticsRead},
	"svc_analytics_friction":        {scope: credential.AnalyticsRead},
	"svc_analytics_content":         {scope: credential.AnalyticsRead},
	"svc_analytics_entry":           {scope: credential.AnalyticsRead},
	"svc_analytics_release_impact":  {scope: credential.AnalyticsRead},
	"svc_analytics_person":          {scope: credential.AnalyticsRead},
}

// findRoute returns the route that a text names, by its operationId or by a method and a path, and nil where there is none. In
// the path a parameter is named, as :project or {project}, or has a value; values are those. Public says that it is a public read.
func findRoute(text string) (found *route, public bool, values map[string]string) {
	reads := publicReads()
	all := routes()
	managed := len(all)
	for _, r := range reads {
		all = append(all, route{method: http.MethodGet, path: r.path})
	}
	method, path, byPath := strings.Cut(strings.TrimSpace(text), " ")
	for i, r := range all {
		if !byPath && (openapi.Operation{Method: r.method, Path: r.path}).ID() == method {
			return &all[i], i >= managed, nil
		}
		if given, matches := matchPath(r.path, strings.TrimSpace(path)); byPath && matches && strings.EqualFold(r.method, method) {
			return &all[i], i >= managed, given
		}
	}
	return nil, false, nil
}

// matchPath compares a path with that of a route, and returns the values that it has for parameters.
func matchPath(pattern, path string) (values map[string]string, matches bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	values = map[string]string{}
	for i, part := range want {
		name, parameter := strings.CutPrefix(part, ":")
		switch given := have[i]; {
		case !parameter && given != part, given == "" && part != "":
			return nil, false
		case parameter && given != part && given != "{"+name+"}":
			values[name] = given
		}
	}
	return values, true
}
