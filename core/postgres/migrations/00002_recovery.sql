-- +goose Up

-- Which incarnation of the database (package changelog) was compared with what others saw of its logs. Once there is a
-- row, releases are published in that incarnation alone: the database may be a restored backup otherwise.
CREATE TABLE history_check (
    one         boolean PRIMARY KEY DEFAULT true CHECK (one),
    incarnation text NOT NULL,
    checked_at  timestamptz NOT NULL DEFAULT now()
);

-- The release that reads without one of their own answer, for the whole fleet; null: the newest.
ALTER TABLE project
    ADD COLUMN pinned_release bigint,
    ADD COLUMN pin_reason text NOT NULL DEFAULT '',
    ADD COLUMN pinned_by text COLLATE "C",
    ADD COLUMN pinned_at timestamptz;
