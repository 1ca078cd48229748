package api

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"svc/core/schemadeploy"
	"svc/core/wire"
	"svc/shared/cors"
	"svc/shared/fault"
	"svc/shared/read"
)

// check is one of several that are made in order. It returns what it found and, where it failed, what to do about that.
type check struct {
	name string
	run  func() (detail, remedy string, err error)
}

// inOrder makes checks until one fails, and reports whether all passed. The others are listed as not reached.
func inOrder(checks ...check) (rows []wire.DiagnosticCheck, passed bool, err error) {
	failed := ""
	for _, c := range checks {
		row := wire.DiagnosticCheck{Name: c.name}
		if failed != "" {
			row.Detail = "not reached, since the check " + failed + " failed"
			rows = append(rows, row)
			continue
		}
		var remedy string
		if row.Detail, remedy, err = c.run(); err != nil {
			return nil, false, err
		}
		if row.Remedy, row.Passed = orNull(remedy), remedy == ""; !row.Passed {
			failed = c.name
		}
		rows = append(rows, row)
	}
	return rows, failed == "", nil
}

// checkCORS says whether pages of an origin may read the project anonymously, by the same rules as reads (contract, "CORS").
// A project that the caller does not reach is the same to it as none.
func checkCORS(c *call) (wire.CORSCheck, error) {
	asked := c.query.Get("origin")
	if asked == "" {
		return wire.CORSCheck{}, fault.Invalid("origin", "is missing: give the origin of the page, such as https://www.example.com")
	}
	rows, allowed, err := inOrder(
		check{"project", c.checkProject}, check{"publicApi", c.checkPublicAPI}, check{"collection", c.checkVisibility},
		check{"origin", func() (string, string, error) { return c.checkOrigin(asked) }},
	)
	canonical, _ := cors.Canonical(asked)
	return wire.CORSCheck{Allowed: allowed, Origin: orNull(canonical), Checks: rows}, err
}

func (c *call) checkProject() (detail, remedy string, err error) {
	if c.project == nil {
		return fmt.Sprintf("there is no project %q that the credential reaches", c.param("project")),
			"give the id or slug of a project that GET /v1/projects lists, or use a key that reaches it", nil
	}
	return "the project is " + c.project.Slug + " (" + string(c.project.ID) + ")", "", nil
}

func (c *call) checkPublicAPI() (detail, remedy string, err error) {
	if !c.project.PublicAPIEnabled {
		return "the public API is switched off: reads without a credential get NOT_FOUND",
			fmt.Sprintf(`switch it on: PATCH /v1/projects/%s {"publicApiEnabled":true}; reads with an API key work without`, c.project.Slug), nil
	}
	return "the public API is switched on", "", nil
}

func (c *call) checkVisibility() (detail, remedy string, err error) {
	name := c.query.Get("collection")
	if name == "" {
		return "no collection was asked about", "", nil
	}
	deployed, err := schemadeploy.Get(c.ctx(), c.server.Pool, c.project.ID, name)
	switch {
	case fault.Is(err, fault.NotFound):
		return fault.As(err).Detail, c.deployRemedy(), nil
	case err != nil:
		return "", "", err
	}
	if scope := read.ScopeOf(deployed.Schema); scope != "" {
		return fmt.Sprintf("the collection %q is private: reads take an API key with %s", name, scope),
			fmt.Sprintf(`declare visibility: "public" in the schema file of %s and run svc schema push, or read it on a server, with an API key`, name), nil
	}
	return fmt.Sprintf("the collection %q is public", name), "", nil
}

func (c *call) deployRemedy() string {
	return "give the key of a deployed collection, which GET /v1/projects/" + c.project.Slug + "/schema lists, or deploy it with svc schema push"
}

func (c *call) checkOrigin(asked string) (detail, remedy string, err error) {
	canonical, verdict := cors.Decide(asked, c.project.AllowedOrigins, c.server.Reader.LocalOrigins)
	switch verdict {
	case cors.NoOrigin:
		return "no browser sends such an origin",
			"give http:// or https://, a host name or IP address, and a port where it is another than usual, such as https://www.example.com", nil
	case cors.Listed:
		return canonical + " is an allowed origin of the project", "", nil
	case cors.Local:
		return canonical + " is on the machine of its user; this deployment, which is not in production mode, lets such origins read", "", nil
	}
	list, err := json.Marshal(append(c.project.AllowedOrigins[:len(c.project.AllowedOrigins):len(c.project.AllowedOrigins)], canonical))
	detail = canonical + " is not one of the allowed origins, of which there are none"
	if len(c.project.AllowedOrigins) > 0 {
		detail = canonical + " is not one of the allowed origins: " + strings.Join(c.project.AllowedOrigins, ", ")
	}
	return detail, fmt.Sprintf(`allow it: PATCH /v1/projects/%s {"allowedOrigins":%s}`, c.project.Slug, list), err
}
