// Package access authenticates and authorises callers: who they are and what they may do. Every check of core happens here
// (interface, "Authentication"): a missing or invalid credential is 401, a valid one that lacks the capability 403, a
// resource of somebody else 404.
package access

import (
	"svc/shared/content"
	"svc/shared/credential"
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
