-- +goose Up

-- What the slugs of deleted entries are looked up by, beside entry_draft_address, so that what was deleted costs no write anything.
CREATE INDEX entry_deleted_address ON entry ((project_id || '/' || collection || '/' || draft_slug))
    WHERE deleted_at IS NOT NULL AND draft_slug IS NOT NULL;
