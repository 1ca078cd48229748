-- +goose Up

-- Whether a request that took a key runs, and whether it took effect. Its own transaction sets took_effect; seen_at is when
-- its core last said that it runs, and is null for what a build from before this migration runs.
ALTER TABLE idempotency
    ADD COLUMN took_effect boolean NOT NULL DEFAULT false,
    ADD COLUMN seen_at timestamptz;
