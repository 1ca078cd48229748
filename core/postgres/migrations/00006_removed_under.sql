-- +goose Up

-- The locales of the project when the collection was removed, under which its entries were accepted. Null where a build from
-- before this migration removed it.
ALTER TABLE collection
    ADD COLUMN removed_locales text[],
    ADD COLUMN removed_default_locale text;
