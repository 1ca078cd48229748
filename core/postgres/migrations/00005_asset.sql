-- +goose Up

-- The files of a project. A record is made once the bytes are stored and known, so nothing that they tell is missing; width,
-- height and perceptual hash are those of images that can be decoded. The blob of the bytes is named by their SHA-256, so
-- records share it where their bytes are equal. What content may name is every asset but a deleted one. All that delete an
-- asset, or give it bytes of another type, lock its row FOR UPDATE before looking for content that names it.
CREATE TABLE asset (
    id                text COLLATE "C" PRIMARY KEY,
    project_id        text COLLATE "C" NOT NULL REFERENCES project,
    state             text NOT NULL DEFAULT 'draft' CHECK (state IN ('pending', 'draft', 'published', 'quarantined', 'deleted')),
    content_type      text COLLATE "C" NOT NULL CHECK (length(content_type) <= 255
                      AND content_type ~ '^[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*( *;[ -~]*)?$'),
    byte_size         bigint NOT NULL CHECK (byte_size >= 0),
    sha256            bytea NOT NULL CHECK (length(sha256) = 32),
    checksum          text COLLATE "C" NOT NULL CHECK (checksum ~ '^[0-9a-f]{32}$'), -- MD5
    perceptual_hash   text COLLATE "C" CHECK (perceptual_hash ~ '^[0-9a-f]{16}$'),
    width             integer CHECK (width > 0),
    height            integer CHECK (height > 0),
    original_filename text NOT NULL CHECK (original_filename <> ''),
    display_filename  text NOT NULL CHECK (display_filename <> ''),
    caption           text NOT NULL DEFAULT '',
    default_alt       text NOT NULL DEFAULT '',
    tags              text[] NOT NULL DEFAULT '{}',
    created_by        text COLLATE "C",
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    deleted_at        timestamptz,
    CHECK ((width IS NULL) = (height IS NULL)),
    CHECK ((state = 'deleted') = (deleted_at IS NOT NULL))
);
CREATE INDEX asset_project ON asset (project_id, id);
CREATE INDEX asset_checksum ON asset (project_id, checksum);
