-- +goose Up

-- What slugs are looked up by. Each of these indexes is of one expression that nothing else has: of two indexes that begin with
-- the same columns, or that are about the same rows, PostgreSQL takes one for as good as the other where statistics are missing
-- or old, and reads a whole collection or all that is staged for each slug.
CREATE INDEX entry_published_address ON entry ((project_id || '/' || collection || '/' || published_slug))
    WHERE published_slug IS NOT NULL;
DROP INDEX entry_draft_slug;
CREATE INDEX entry_draft_address ON entry ((project_id || '/' || collection || '/' || draft_slug))
    WHERE published_revision_id IS NULL AND deleted_at IS NULL AND draft_slug IS NOT NULL;
DROP INDEX change_set_item_slug;
CREATE INDEX change_set_item_live_slug ON change_set_item ((CASE WHEN live THEN slug END))
    WHERE CASE WHEN live THEN slug END IS NOT NULL;

-- An import and a publish write a row for each entry into these, always with what it refers to, and nothing is ever deleted
-- from there. Looking each reference up once more was a good part of what a row takes.
ALTER TABLE entry DROP CONSTRAINT entry_project_id_fkey;
ALTER TABLE revision DROP CONSTRAINT revision_entry_id_fkey;
ALTER TABLE change_set_item DROP CONSTRAINT change_set_item_change_set_id_fkey;
ALTER TABLE event DROP CONSTRAINT event_project_id_fkey;
