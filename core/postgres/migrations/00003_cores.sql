-- +goose Up

-- What each core last said of itself, for operators. A core takes its row away when it stops.
CREATE TABLE core_report (
    core        text COLLATE "C" PRIMARY KEY,
    build       text NOT NULL,
    started_at  timestamptz NOT NULL,
    reported_at timestamptz NOT NULL DEFAULT now(),
    reasons     text[] NOT NULL, -- why it should get no traffic
    alarms      text NOT NULL    -- a JSON array
);
