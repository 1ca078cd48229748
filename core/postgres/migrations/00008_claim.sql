-- +goose Up

-- The attempt that inserted an idempotency key. took_effect and seen_at are for builds from before this migration alone.
ALTER TABLE idempotency ADD COLUMN claim uuid;
