package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

// ErrOtherKind is in the error of Authenticate for a credential that is well-formed and that no management call takes, such
// as a preview token.
var ErrOtherKind = errors.New("the credential is no API key")

// Authenticate returns the actor behind an Authorization header. No credential, and one that is malformed, unknown,
// expired or revoked, are AUTHENTICATION_REQUIRED.
func Authenticate(ctx context.Context, q postgres.Querier, header string) (*Actor, error) {
	secret, present, err := credential.Bearer(header)
	if err != nil {
		return nil, err
	}
	if !present {
		return nil, noCredential()
	}
	if secret.Kind != credential.APIKey {
		return nil, &fault.Error{Code: fault.AuthenticationRequired, Err: ErrOtherKind,
			Detail: fmt.Sprintf("this needs an API key; a credential of kind %q cannot be used here", secret.Kind)}
	}
	key, err := lookUp(ctx, q, secret.PublicID)
	if err != nil {
		return nil, err
	}
	// The comparison also runs for an unknown key, so that both take the same time.
	if matches := secret.Matches(key.grant.Hash); !matches || !key.found {
		return nil, fault.New(fault.AuthenticationRequired, "the API key is not valid")
	}
	if !key.grant.Live(key.now) {
		return nil, dead(&key.grant)
	}
	if key.now.Sub(key.lastUsed) >= credential.UseEvery {
		if err := Used(ctx, q, map[content.KeyID]time.Time{key.grant.Key: key.now}); err != nil {
			return nil, err
		}
	}
	return &Actor{
		Type: ActorAPIKey, ID: string(key.grant.Key), Label: key.label, Grant: &key.grant, Organization: key.grant.Organization,
	}, nil
}

// Grant returns the stored grant of a public id, or nil where there is none; it verifies no secret.
func Grant(ctx context.Context, q postgres.Querier, publicID string) (*credential.Grant, error) {
	key, err := lookUp(ctx, q, publicID)
	if err != nil || !key.found {
		return nil, err
	}
	return &key.grant, nil
}

type stored struct {
	found    bool
	grant    credential.Grant
	label    string
	lastUsed time.Time
	now      time.Time // of the database, whose clock wrote the expiry
}

func lookUp(ctx context.Context, q postgres.Querier, publicID string) (stored, error) {
	k := stored{grant: credential.Grant{PublicID: publicID}}
	var hash []byte
	var expires, revoked, used *time.Time
	err := q.QueryRow(ctx, `
		SELECT k.id, k.organization_id, coalesce(k.project_id, ''), k.hash, k.label, k.scopes, k.collections,
		       k.expires_at, k.revoked_at, k.last_used_at, clock_timestamp()
		FROM api_key k JOIN organization o ON o.id = k.organization_id AND o.deleted_at IS NULL
		WHERE k.public_id = $1`, publicID).Scan(
		&k.grant.Key, &k.grant.Organization, &k.grant.Project, &hash, &k.label, &k.grant.Scopes, &k.grant.Collections,
		&expires, &revoked, &used, &k.now)
	if errors.Is(err, pgx.ErrNoRows) {
		return k, nil
	}
	if err != nil {
		return k, fmt.Errorf("looking up an API key: %w", err)
	}
	if copy(k.grant.Hash[:], hash) != len(k.grant.Hash) {
		return k, fmt.Errorf("the stored hash of %s has %d bytes", k.grant.Key, len(hash))
	}
	if expires != nil {
		k.grant.ExpiresAt = expires.UTC()
	}
	if used != nil {
		k.lastUsed = *used
	}
	k.grant.Revoked = revoked != nil
	k.found = true
	return k, nil
}

func dead(g *credential.Grant) error {
	if g.Revoked {
		return fault.New(fault.AuthenticationRequired, "the API key has been revoked")
	}
	return fault.New(fault.AuthenticationRequired, "the API key expired at %s", content.FormatTime(g.ExpiresAt))
}

// Used notes when keys were last used, as far as that is news. It leaves out a row that another transaction holds at the
// moment: a last use is no reason to wait, and is told again.
func Used(ctx context.Context, q postgres.Querier, at map[content.KeyID]time.Time) error {
	if len(at) == 0 {
		return nil
	}
	var keys []content.KeyID
	var times []time.Time
	for key, t := range at {
		keys, times = append(keys, key), append(times, t)
	}
	_, err := q.Exec(ctx, `
		UPDATE api_key k SET last_used_at = least(used.at, clock_timestamp())
		FROM (SELECT id, at FROM api_key JOIN unnest($1::text[], $2::timestamptz[]) told (id, at) USING (id)
		      WHERE last_used_at IS NULL OR last_used_at < at - $3::interval FOR UPDATE OF api_key SKIP LOCKED) used
		WHERE k.id = used.id`, keys, times, credential.UseEvery)
	if err != nil {
		return fmt.Errorf("noting the uses of API keys: %w", err)
	}
	return nil
}
