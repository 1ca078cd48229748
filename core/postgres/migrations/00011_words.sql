-- +goose Up

-- The words of each entry's draft, by which the management API searches. A search brings in those that are missing or come from
-- another draft or schema (package entry). Each text is a line, with a blank before and after every word.
CREATE TABLE entry_words (
    entry_id       text COLLATE "C" PRIMARY KEY REFERENCES entry,
    revision_id    text COLLATE "C" NOT NULL,
    schema_version integer NOT NULL,
    words          text COLLATE "C" NOT NULL
);
ALTER TABLE entry_words ALTER COLUMN words SET COMPRESSION lz4;
