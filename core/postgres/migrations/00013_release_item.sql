-- +goose Up

-- What releases did to an entry, for a revert, which asks it of every entry of its release.
CREATE INDEX release_item_entry ON release_item (entry_id, number);
