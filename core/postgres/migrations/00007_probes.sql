-- +goose Up

-- Slugs are looked up without the collection, which other indexes of the same table have too: where statistics are missing or
-- old, PostgreSQL takes one index for as good as another, and reads a whole collection for each slug. In these, what narrows
-- comes before it.
ALTER TABLE entry DROP CONSTRAINT entry_published_slug_key;
ALTER TABLE entry ADD CONSTRAINT entry_published_slug_key
    UNIQUE (project_id, published_slug, collection) DEFERRABLE INITIALLY DEFERRED;
DROP INDEX entry_draft_slug;
CREATE INDEX entry_draft_slug ON entry (project_id, draft_slug)
    WHERE published_revision_id IS NULL AND deleted_at IS NULL AND draft_slug IS NOT NULL;
DROP INDEX change_set_item_slug;
CREATE INDEX change_set_item_slug ON change_set_item (slug) WHERE live AND slug IS NOT NULL;

-- An import and a publish write a row for each entry into these, always with what it refers to, and nothing is ever deleted
-- from there. Looking each reference up once more was a good part of what a row takes.
ALTER TABLE entry DROP CONSTRAINT entry_project_id_fkey;
ALTER TABLE revision DROP CONSTRAINT revision_entry_id_fkey;
ALTER TABLE change_set_item DROP CONSTRAINT change_set_item_change_set_id_fkey;
ALTER TABLE event DROP CONSTRAINT event_project_id_fkey;
