-- +goose Up

-- Preview tokens: who shows one reads a change set, or one entry of it, before it is published (package preview).
CREATE TABLE preview (
    id            text COLLATE "C" PRIMARY KEY,
    project_id    text COLLATE "C" NOT NULL REFERENCES project,
    change_set_id text COLLATE "C" NOT NULL REFERENCES change_set,
    entry_id      text COLLATE "C",                   -- null: all that the set stages
    public_id     text COLLATE "C" NOT NULL,
    hash          bytea NOT NULL CHECK (length(hash) = 32),
    opens_private boolean NOT NULL,                   -- it also opens private collections, as a key with content:read does
    collections   text[] NOT NULL DEFAULT '{}',       -- to which it is confined, as the key that made it is
    created_by    text COLLATE "C",
    created_at    timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL,
    revoked_at    timestamptz,
    CONSTRAINT preview_public_id_key UNIQUE (public_id)
);
CREATE INDEX preview_project ON preview (project_id, id);
CREATE INDEX preview_change_set ON preview (change_set_id, id);
