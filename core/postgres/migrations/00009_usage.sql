-- +goose Up

-- What organizations used, by day in UTC.
CREATE TABLE usage_day (
    organization_id text COLLATE "C" NOT NULL REFERENCES organization,
    day             date NOT NULL,
    meter           text COLLATE "C" NOT NULL,
    total           bigint NOT NULL CHECK (total > 0),
    PRIMARY KEY (organization_id, day, meter)
);

-- The last total of each counter that is in usage_day, by process and start. before is the one it replaced.
CREATE TABLE usage_seen (
    edge            text COLLATE "C" NOT NULL,
    started_at      timestamptz NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    meter           text COLLATE "C" NOT NULL,
    total           bigint NOT NULL,
    before          bigint NOT NULL,
    told_at         timestamptz NOT NULL,
    PRIMARY KEY (edge, started_at, organization_id, meter)
);
CREATE INDEX usage_seen_told ON usage_seen (told_at);
