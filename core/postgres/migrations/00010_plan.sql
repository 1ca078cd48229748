-- +goose Up

-- The plan of an organization (package account). Whoever runs svc for themselves has no bounds.
ALTER TABLE organization ADD COLUMN plan text COLLATE "C" NOT NULL DEFAULT 'unlimited' CHECK (plan IN ('free', 'pro', 'unlimited'));
