package fleet

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/core/wire"
	"svc/shared/telemetry"
)

const (
	reportEvery = 5 * time.Second
	// silentAfter is how long after its last report a core counts as gone, and forgottenAfter how long it is shown.
	silentAfter    = 30 * time.Second
	forgottenAfter = time.Hour
)

// Cores tells every core how this one is doing, through the database.
type Cores struct {
	Name    string // of this core
	Started time.Time
	Pool    *pgxpool.Pool
	Alarms  *telemetry.Alarms
	Unready func() []string // why this core should get no traffic
	Logger  *slog.Logger
}

// Run looks after the database's version and reports this core until the context ends; then it takes the report away.
func (c *Cores) Run(ctx context.Context) error {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	failing := false
	for {
		err := c.reportOnce(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			c.Logger.Warn("this core cannot report how it is doing; trying again", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return c.leave(context.WithoutCancel(ctx))
		case <-tick.C:
		}
	}
}

func (c *Cores) reportOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reportEvery)
	defer cancel()
	have, known, err := postgres.Versions(ctx, c.Pool)
	if err != nil {
		return err
	}
	c.Alarms.When(have > known, telemetry.DatabaseNewer, "", fmt.Sprintf(
		"it is at version %d and this build knows version %d; what this core does goes on, but it does not start again", have, known))
	return c.report(ctx)
}

// report replaces what the database has of this core.
func (c *Cores) report(ctx context.Context) error {
	alarms, err := json.Marshal(c.Alarms.List())
	if err != nil {
		return fmt.Errorf("reporting this core: %w", err)
	}
	_, err = c.Pool.Exec(ctx, `INSERT INTO core_report (core, build, started_at, reported_at, reasons, alarms)
		VALUES ($1, $2, $3, clock_timestamp(), $4, $5)
		ON CONFLICT (core) DO UPDATE SET build = excluded.build, started_at = excluded.started_at,
			reported_at = excluded.reported_at, reasons = excluded.reasons, alarms = excluded.alarms`,
		c.Name, telemetry.Build(), c.Started, append([]string{}, c.Unready()...), string(alarms))
	if err != nil {
		return fmt.Errorf("reporting this core: %w", err)
	}
	return nil
}

// leave takes the report of a core away that stops.
func (c *Cores) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := c.Pool.Exec(ctx, `DELETE FROM core_report WHERE core = $1`, c.Name); err != nil {
		c.Logger.Debug("the report of this core stays behind for a while", "error", err)
	}
	return nil
}

// List returns what the cores last said of themselves, and how this one is now.
func (c *Cores) List(ctx context.Context) ([]wire.Core, error) {
	rows, err := c.Pool.Query(ctx, `SELECT core, build, started_at, reported_at, extract(epoch FROM clock_timestamp() - reported_at)::float8,
			reasons, alarms
		FROM core_report WHERE reported_at > clock_timestamp() - $1::interval AND core <> $2 ORDER BY core`, forgottenAfter, c.Name)
	if err != nil {
		return nil, fmt.Errorf("reading the reports of cores: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (wire.Core, error) {
		var core wire.Core
		var found []telemetry.Alarm
		var age float64
		var alarms string
		if err := row.Scan(&core.Name, &core.Build, &core.StartedAt.Time, &core.ReportedAt.Time, &age, &core.Reasons, &alarms); err != nil {
			return core, err
		}
		if silent := time.Duration(age * float64(time.Second)); silent > silentAfter {
			core.Reasons = []string{fmt.Sprintf("it has not reported for %s: it was killed, or does not reach the database", silent.Round(time.Second))}
		} else if err := json.Unmarshal([]byte(alarms), &found); err != nil {
			core.Reasons = append(core.Reasons, "its alarms cannot be read by this build of core")
		}
		core.Ready, core.Alarms = len(core.Reasons) == 0, alarmsOf(found)
		return core, nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the reports of cores: %w", err)
	}
	reasons := c.Unready()
	self := wire.Core{
		Name: c.Name, Build: telemetry.Build(), StartedAt: wire.Time{Time: c.Started}, ReportedAt: wire.Time{Time: time.Now()},
		Ready: len(reasons) == 0, Reasons: reasons, Alarms: alarmsOf(c.Alarms.List()),
	}
	return append([]wire.Core{self}, all...), nil
}

// Forget deletes reports that are no longer shown.
func (c *Cores) Forget(ctx context.Context) error {
	_, err := c.Pool.Exec(ctx, `DELETE FROM core_report WHERE reported_at < clock_timestamp() - $1::interval`, forgottenAfter)
	if err != nil {
		return fmt.Errorf("forgetting cores that are gone: %w", err)
	}
	return nil
}
