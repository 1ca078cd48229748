package wire

import "svc/shared/credential"

// DiagnosticCheck is one of several checks in the order in which they are made. The first one that fails says in its remedy what to do;
// those behind it are not reached, which counts as not passed and has no remedy.
type DiagnosticCheck struct {
	Name   string  `json:"name"`
	Passed bool    `json:"passed"`
	Detail string  `json:"detail"`
	Remedy *string `json:"remedy"` // null: it passed, or was not reached
}

// Access is what a credential may do in a project (contract, "Access check meaning"). The checks are credential, project,
// capability and collection.
type Access struct {
	Allowed     bool               `json:"allowed"`     // every check passed
	Capability  *credential.Scope  `json:"capability"`  // the scope that it takes; null: any credential will do, or nothing was asked
	Collection  *string            `json:"collection"`  // that was asked about
	Scopes      []credential.Scope `json:"scopes"`      // that the credential carries
	Collections []string           `json:"collections"` // that it is confined to; empty: every collection
	Checks      []DiagnosticCheck  `json:"checks"`
}

// CORSCheck is whether pages of an origin may read a project without a credential. The checks are project, publicApi, collection
// and origin.
type CORSCheck struct {
	Allowed bool              `json:"allowed"` // every check passed
	Origin  *string           `json:"origin"`  // in the form that browsers send; null: no browser sends it
	Checks  []DiagnosticCheck `json:"checks"`
}

// Usage is what an organization used: in this month beside what its plan includes, and by day (contract, "Limits").
type Usage struct {
	Plan   string       `json:"plan" enum:"free,pro,unlimited"`
	Month  string       `json:"month"` // the current one in UTC, such as 2026-03
	Meters []UsageMonth `json:"meters"`
	Days   []UsageDay   `json:"days"` // the newest first; days without use are left out
}

// UsageMonth is how much was used of a meter in the current month.
type UsageMonth struct {
	Meter     string  `json:"meter"`
	Total     uint64  `json:"total"`
	SoftLimit *uint64 `json:"softLimit"` // of the plan; null: it has none
	Exceeded  bool    `json:"exceeded"`
	Notice    *string `json:"notice"` // what an organization beyond the soft limit is told; null: it is not
}

// UsageDay is how much an organization used of a meter on one day (contract, "Limits").
type UsageDay struct {
	Day   string `json:"day"` // in UTC, such as 2026-03-01
	Meter string `json:"meter"`
	Total uint64 `json:"total"`
}
