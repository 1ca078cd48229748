package metering

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/replication/usage"
	"svc/shared/content"
	"svc/shared/fault"
)

// Day is how much an organization used of a meter on one day.
type Day struct {
	Day   time.Time // its midnight in UTC
	Meter usage.Meter
	Total uint64
}

const (
	// usualDays is how many days are shown where nothing says which, today included.
	usualDays = 30
	maxDays   = 366
)

// Range reads the first and the last day of a list, each as 2006-01-02. Without a last day it ends today, without a first one
// it has 30 days.
func Range(from, to string, now time.Time) (first, last time.Time, err error) {
	if last, err = day("to", to, now.UTC().Truncate(24*time.Hour)); err != nil {
		return first, last, err
	}
	if first, err = day("from", from, last.AddDate(0, 0, 1-usualDays)); err != nil {
		return first, last, err
	}
	switch {
	case first.After(last):
		return first, last, fault.Invalid("from", "must not be after the last day, which is %s", last.Format(time.DateOnly))
	case last.Sub(first) >= maxDays*24*time.Hour:
		return first, last, fault.Invalid("from", "must be at most %d days before the last day, which is %s", maxDays-1, last.Format(time.DateOnly))
	}
	return first, last, nil
}

func day(path, text string, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() == 0 { // which PostgreSQL does not know
		return t, fault.Invalid(path, "must be a day such as 2026-03-01")
	}
	return t, nil
}

// Month returns how much an organization used of a meter in the calendar month, in UTC, that this moment is in.
func Month(ctx context.Context, q postgres.Querier, organization content.OrganizationID, meter usage.Meter, now time.Time) (total uint64, err error) {
	year, month, _ := now.UTC().Date()
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	err = q.QueryRow(ctx, `SELECT coalesce(sum(total), 0)::bigint FROM usage_day
		WHERE organization_id = $1 AND meter = $2 AND day >= $3::date AND day < $4::date`, organization, meter, first, first.AddDate(0, 1, 0)).Scan(&total)
	if err != nil {
		return 0, fmt.Errorf("reading what was used in a month: %w", err)
	}
	return total, nil
}

// Days returns what an organization used from the first to the last day, the newest first; days without use are left out.
func Days(ctx context.Context, q postgres.Querier, organization content.OrganizationID, first, last time.Time) ([]Day, error) {
	rows, _ := q.Query(ctx, `SELECT day, meter, total FROM usage_day
		WHERE organization_id = $1 AND day BETWEEN $2::date AND $3::date ORDER BY day DESC, meter`, organization, first, last) // reading the rows tells its error too
	days, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Day])
	if err != nil {
		return nil, fmt.Errorf("reading what was used: %w", err)
	}
	return days, nil
}
