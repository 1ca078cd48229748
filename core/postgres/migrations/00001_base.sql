-- +goose Up

-- Ids are text in TypeID form, compared by byte. Field data is text, never jsonb, which would reorder members and
-- rewrite numbers. Times are timestamptz; published times are whole milliseconds.

CREATE TABLE organization (
    id         text COLLATE "C" PRIMARY KEY,
    slug       text COLLATE "C" NOT NULL,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    CONSTRAINT organization_slug_key UNIQUE (slug)
);

CREATE TABLE project (
    id                  text COLLATE "C" PRIMARY KEY,
    organization_id     text COLLATE "C" NOT NULL REFERENCES organization,
    slug                text COLLATE "C" NOT NULL,
    name                text NOT NULL,
    public_api_enabled  boolean NOT NULL DEFAULT true,
    allowed_origins     text[] NOT NULL DEFAULT '{}',
    locales             text[] NOT NULL DEFAULT '{}',
    default_locale      text NOT NULL DEFAULT '',
    guidance            text NOT NULL DEFAULT '',
    required_approvals  integer NOT NULL DEFAULT 0 CHECK (required_approvals >= 0),
    require_checks_pass boolean NOT NULL DEFAULT false,
    cursor_key          bytea NOT NULL,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),
    deleted_at          timestamptz,
    CONSTRAINT project_slug_key UNIQUE (slug)
);
CREATE INDEX project_organization ON project (organization_id, id);

-- The locales in force from a release on, so that a pin is read under those of its release.
CREATE TABLE project_locales (
    project_id     text COLLATE "C" NOT NULL REFERENCES project,
    from_release   bigint NOT NULL,
    locales        text[] NOT NULL,
    default_locale text NOT NULL,
    PRIMARY KEY (project_id, from_release)
);

CREATE TABLE api_key (
    id              text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organization,
    project_id      text COLLATE "C" REFERENCES project,
    public_id       text COLLATE "C" NOT NULL,
    hash            bytea NOT NULL CHECK (length(hash) = 32),
    label           text NOT NULL,
    scopes          text[] NOT NULL CHECK (cardinality(scopes) > 0),
    collections     text[] NOT NULL DEFAULT '{}',
    created_by      text COLLATE "C",
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz,
    revoked_at      timestamptz,
    last_used_at    timestamptz,
    CONSTRAINT api_key_public_id_key UNIQUE (public_id)
);
CREATE INDEX api_key_organization ON api_key (organization_id, id);

-- Collections and their immutable versions.
CREATE TABLE collection (
    project_id text COLLATE "C" NOT NULL REFERENCES project,
    name       text COLLATE "C" NOT NULL,
    version    integer NOT NULL,
    label      text NOT NULL,
    removed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, name)
);

CREATE TABLE collection_version (
    project_id text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    version    integer NOT NULL,
    canonical  text NOT NULL,
    hash       text NOT NULL,
    summary    text NOT NULL DEFAULT '',
    created_by text COLLATE "C",
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, name, version),
    UNIQUE (project_id, name, hash),
    FOREIGN KEY (project_id, name) REFERENCES collection DEFERRABLE INITIALLY DEFERRED
);

-- One row for each push that changed something; what it put in force is read through its rows below.
CREATE TABLE schema_push (
    project_id   text COLLATE "C" NOT NULL REFERENCES project,
    number       bigint NOT NULL,
    from_release bigint NOT NULL,
    summary      text NOT NULL DEFAULT '',
    created_by   text COLLATE "C",
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, number)
);

-- The version of a collection from a push on; a null version removes the collection.
CREATE TABLE schema_push_collection (
    project_id text COLLATE "C" NOT NULL,
    number     bigint NOT NULL,
    name       text COLLATE "C" NOT NULL,
    version    integer,
    label      text NOT NULL DEFAULT '',
    PRIMARY KEY (project_id, number, name),
    FOREIGN KEY (project_id, number) REFERENCES schema_push
);

-- Entries and their immutable revisions.
CREATE TABLE entry (
    id                         text COLLATE "C" PRIMARY KEY,
    project_id                 text COLLATE "C" NOT NULL REFERENCES project,
    collection                 text COLLATE "C" NOT NULL,
    published_revision_id      text COLLATE "C",
    last_published_revision_id text COLLATE "C",
    draft_revision_id          text COLLATE "C", -- the newest draft of the open and ready sets, else what is or was published
    draft_slug                 text COLLATE "C",
    published_slug             text COLLATE "C", -- while published
    published_release          bigint,           -- the release that published the current revision; its time is the entry's publishedAt
    unpublished_at             timestamptz,
    deleted_at                 timestamptz,
    rank                       text COLLATE "C",
    created_by                 text COLLATE "C",
    created_at                 timestamptz NOT NULL DEFAULT now(),
    -- Deferred, so that slugs swap inside one release.
    CONSTRAINT entry_published_slug_key UNIQUE (project_id, collection, published_slug) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX entry_collection ON entry (project_id, collection, id);
CREATE INDEX entry_draft_slug ON entry (project_id, collection, draft_slug)
    WHERE published_revision_id IS NULL AND deleted_at IS NULL AND draft_slug IS NOT NULL;
CREATE INDEX entry_rank ON entry (project_id, collection, rank, id) WHERE rank IS NOT NULL;

CREATE TABLE revision (
    id             text COLLATE "C" PRIMARY KEY,
    project_id     text COLLATE "C" NOT NULL,
    entry_id       text COLLATE "C" NOT NULL REFERENCES entry,
    parent_id      text COLLATE "C",
    schema_version integer NOT NULL,
    slug           text COLLATE "C",
    fields         text NOT NULL,  -- canonical JSON object, members in schema order
    fields_hash    bytea NOT NULL, -- SHA-256 of fields
    change_set_id  text COLLATE "C",
    change_summary text NOT NULL DEFAULT '',
    created_by     text COLLATE "C",
    created_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX revision_entry ON revision (entry_id, id);
ALTER TABLE revision ALTER COLUMN fields SET COMPRESSION lz4;

CREATE TABLE change_set (
    id             text COLLATE "C" PRIMARY KEY,
    project_id     text COLLATE "C" NOT NULL REFERENCES project,
    title          text NOT NULL,
    description    text NOT NULL DEFAULT '',
    status         text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'ready', 'published', 'closed')),
    release_number bigint,
    created_by     text COLLATE "C",
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT change_set_release_key UNIQUE (project_id, release_number)
);
CREATE INDEX change_set_project ON change_set (project_id, id);
CREATE INDEX change_set_status ON change_set (project_id, status, id);

CREATE TABLE change_set_item (
    change_set_id      text COLLATE "C" NOT NULL REFERENCES change_set,
    resource_type      text NOT NULL CHECK (resource_type IN ('entry', 'asset')),
    resource_id        text COLLATE "C" NOT NULL,
    operation          text NOT NULL CHECK (operation IN ('create', 'update', 'unpublish', 'delete')),
    base_revision_id   text COLLATE "C",
    target_revision_id text COLLATE "C",
    collection         text COLLATE "C", -- of an entry
    slug               text COLLATE "C", -- of the target revision
    live               boolean NOT NULL DEFAULT true, -- while the change set is open or ready
    staged_at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (change_set_id, resource_type, resource_id),
    CHECK (resource_type <> 'entry' OR (target_revision_id IS NULL) = (operation IN ('unpublish', 'delete')))
);
-- Both are about live items alone, so that they stay small however long the history grows.
CREATE INDEX change_set_item_live ON change_set_item (resource_id) WHERE live;
CREATE INDEX change_set_item_slug ON change_set_item (change_set_id, collection, slug) WHERE live AND slug IS NOT NULL;

-- Numbering of a project: the next release comes after this row, which is locked last in a publish.
CREATE TABLE release_head (
    project_id   text COLLATE "C" PRIMARY KEY REFERENCES project,
    number       bigint NOT NULL DEFAULT 0,
    published_at timestamptz NOT NULL DEFAULT 'epoch'
);

CREATE TABLE release (
    project_id    text COLLATE "C" NOT NULL REFERENCES project,
    number        bigint NOT NULL CHECK (number > 0),
    published_at  timestamptz NOT NULL,
    change_set_id text COLLATE "C" NOT NULL REFERENCES change_set,
    title         text NOT NULL,
    created_by    text COLLATE "C",
    item_count    integer NOT NULL,
    PRIMARY KEY (project_id, number),
    UNIQUE (project_id, published_at)
);

CREATE TABLE release_item (
    project_id        text COLLATE "C" NOT NULL,
    number            bigint NOT NULL,
    entry_id          text COLLATE "C" NOT NULL,
    collection        text COLLATE "C" NOT NULL,
    operation         text NOT NULL,
    revision_id       text COLLATE "C", -- null for unpublish and delete
    before_id         text COLLATE "C", -- the revision published before, if any
    PRIMARY KEY (project_id, number, entry_id)
);

-- When which revision was live: a pin at N reads the rows with from_release <= N < to_release.
CREATE TABLE publication (
    project_id   text COLLATE "C" NOT NULL,
    collection   text COLLATE "C" NOT NULL,
    entry_id     text COLLATE "C" NOT NULL,
    from_release bigint NOT NULL,
    to_release   bigint NOT NULL DEFAULT 9223372036854775807,
    revision_id  text COLLATE "C" NOT NULL,
    slug         text COLLATE "C",
    PRIMARY KEY (entry_id, from_release)
);
CREATE INDEX publication_collection ON publication (project_id, collection, entry_id, from_release);
CREATE INDEX publication_slug ON publication (project_id, collection, slug, from_release) WHERE slug IS NOT NULL;
CREATE UNIQUE INDEX publication_live ON publication (entry_id) WHERE to_release = 9223372036854775807;

-- Events for webhooks and the audit trail, written in the transaction that they report.
CREATE TABLE event (
    id         text COLLATE "C" PRIMARY KEY,
    project_id text COLLATE "C" NOT NULL REFERENCES project,
    type       text NOT NULL,
    actor_type text NOT NULL,
    actor_id   text,
    data       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX event_project ON event (project_id, id);

CREATE TABLE audit_event (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    project_id      text COLLATE "C",
    action          text NOT NULL,
    actor_type      text NOT NULL,
    actor_id        text,
    subject         text NOT NULL,
    detail          text NOT NULL DEFAULT '{}',
    created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_event_organization ON audit_event (organization_id, id);

CREATE TABLE idempotency (
    actor_id     text COLLATE "C" NOT NULL,
    key          text COLLATE "C" NOT NULL,
    request_hash bytea NOT NULL,
    status       integer,
    content_type text,
    body         bytea,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (actor_id, key)
);
CREATE INDEX idempotency_created ON idempotency (created_at);

-- Replication. The head of every log is a small row of its own, moved as the last statement of a transaction.
CREATE TABLE log_head (
    log        text COLLATE "C" PRIMARY KEY,
    epoch      bigint NOT NULL DEFAULT 1,
    seq        bigint NOT NULL DEFAULT 0,
    chain      bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    prev       bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'), -- the chain before the last change
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX log_head_updated ON log_head (updated_at);

CREATE TABLE change (
    log        text COLLATE "C" NOT NULL,
    seq        bigint NOT NULL,
    epoch      bigint NOT NULL,
    prev       bytea NOT NULL,
    chain      bytea NOT NULL,
    kind       text NOT NULL,
    digest     bytea NOT NULL,
    ref        bigint NOT NULL DEFAULT 0, -- release number or schema push number
    body       bytea,                     -- the encoded message of kinds whose source rows change later
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (log, seq)
);

-- How far a log is on the stream: a hint that tells which logs to look at, never a proof.
CREATE TABLE relay_progress (
    log text COLLATE "C" PRIMARY KEY REFERENCES log_head,
    seq bigint NOT NULL
);

-- The snapshots of each log, each recorded after all its parts exist and only where it is newer than all before.
CREATE TABLE snapshot (
    log        text COLLATE "C" NOT NULL REFERENCES log_head,
    epoch      bigint NOT NULL,
    seq        bigint NOT NULL,
    chain      bytea NOT NULL,
    object     text NOT NULL, -- of the manifest
    sha256     bytea NOT NULL,
    size       bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (log, epoch, seq)
);

-- Closed ranges of releases that were written once and serve every later snapshot.
CREATE TABLE snapshot_segment (
    log           text COLLATE "C" NOT NULL REFERENCES log_head,
    first_release bigint NOT NULL,
    last_release  bigint NOT NULL,
    object        text NOT NULL,
    sha256        bytea NOT NULL,
    size          bigint NOT NULL,
    PRIMARY KEY (log, first_release)
);
