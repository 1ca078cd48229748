-- +goose Up

-- The plan of an organization (package account). Those who run svc for themselves have no bounds.
ALTER TABLE organization ADD COLUMN plan text COLLATE "C" NOT NULL DEFAULT 'unlimited' CHECK (plan IN ('free', 'pro', 'unlimited'));
