// Package access authenticates and authorises callers: who they are and what they may do. Every check of core happens here
// (interface, "Authentication"): a missing or invalid credential is 401, a valid one that lacks the capability 403, a
// resource of somebody else 404.
package access

import (
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

// ActorType says what kind of caller did something, as events and the audit trail name it.
type ActorType string

const (
	ActorUser   ActorType = "user"
	ActorAPIKey ActorType = "api_key"
	ActorAgent  ActorType = "agent"
	ActorSystem ActorType = "system"
)

// Actor is who makes a change: a key, a user, an agent or the system.
type Actor struct {
	Type ActorType
	// ID is the id of the key or user; empty for the system.
	ID string
	// Label is how people call the actor, such as the label of a key.
	Label string
	// Grant is what the actor may do; nil for the system, which may do everything.
	Grant *credential.Grant
	// Organization is the one the actor belongs to; empty for the system.
	Organization content.OrganizationID
}

// System is the service itself: commands of its operator and jobs.
func System() *Actor { return &Actor{Type: ActorSystem, Label: "system"} }

// IDOrNil is the id as the database stores it: null for the system.
func (a *Actor) IDOrNil() *string {
	if a.ID == "" {
		return nil
	}
	return &a.ID
}

// Place is what an actor wants to touch. Project is empty for what belongs to the organization itself, Collection
// where the action is not about one.
type Place struct {
	Organization content.OrganizationID
	Project      content.ProjectID
	Collection   string
}

// Require checks that the actor may use a capability at a place: NOT_FOUND where the place belongs to somebody
// else, FORBIDDEN where the scope is missing or the key is confined to other collections.
func Require(a *Actor, scope credential.Scope, at Place) error {
	if err := Reach(a, at); err != nil {
		return err
	}
	if !Carries(a, scope) {
		return fault.New(fault.Forbidden, "this needs the scope %s, which the API key does not carry", scope)
	}
	if at.Collection == "" {
		return nil
	}
	return Confine(a, at.Collection)
}

// Carries reports whether the actor carries a scope, for answers that say more to those who do.
func Carries(a *Actor, scope credential.Scope) bool { return a.Grant == nil || a.Grant.Has(scope) }

// Reach checks that a place is the actor's to see at all.
func Reach(a *Actor, at Place) error {
	if a == nil {
		return fault.New(fault.AuthenticationRequired, "this needs a credential: send Authorization: Bearer <API key>")
	}
	if a.Grant == nil {
		return nil
	}
	switch {
	case at.Project != "" && !a.Grant.Reaches(at.Organization, at.Project):
		return fault.New(fault.NotFound, "there is no such project")
	case at.Organization != a.Organization:
		return fault.New(fault.NotFound, "there is no such organization")
	case at.Project == "" && a.Grant.Project != "":
		return fault.New(fault.Forbidden, "the API key is confined to one project; this needs a key of the organization")
	}
	return nil
}

// Confine checks that the actor is not confined to other collections.
func Confine(a *Actor, collection string) error {
	if a.Grant == nil || a.Grant.Covers(collection) {
		return nil
	}
	return fault.New(fault.Forbidden, "the API key is confined to other collections than %q", collection)
}

// Unconfined checks that the actor is not confined to any collections, for actions that reach beyond them.
func Unconfined(a *Actor) error {
	if _, confined := Confined(a); confined {
		return fault.New(fault.Forbidden, "the API key is confined to some collections; this needs one that is not")
	}
	return nil
}

// Confined reports whether the actor may touch only some collections, and which.
func Confined(a *Actor) ([]string, bool) {
	if a.Grant == nil || len(a.Grant.Collections) == 0 {
		return nil, false
	}
	return a.Grant.Collections, true
}
