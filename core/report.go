package core

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"svc/core/api"
	"svc/core/postgres"
	"svc/shared/telemetry"
)

const (
	reportEvery = 5 * time.Second
	// silentAfter is how long after its last report a core counts as gone, and forgottenAfter how long it is shown.
	silentAfter    = 30 * time.Second
	forgottenAfter = time.Hour
)

// watch looks after the database's version, and reports how this core is doing to whoever asks any core.
func (c *Core) watch(ctx context.Context) error {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	failing := false
	for {
		err := c.watchOnce(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			c.logger.Warn("this core cannot report how it is doing; trying again", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return c.leave(context.WithoutCancel(ctx))
		case <-tick.C:
		}
	}
}

func (c *Core) watchOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reportEvery)
	defer cancel()
	have, known, err := postgres.Versions(ctx, c.pool)
	if err != nil {
		return err
	}
	c.alarms.When(have > known, telemetry.DatabaseNewer, "", fmt.Sprintf(
		"it is at version %d and this build knows version %d; what this core does goes on, but it does not start again", have, known))
	return c.report(ctx)
}

// report replaces what the database has of this core.
func (c *Core) report(ctx context.Context) error {
	alarms, err := json.Marshal(c.alarms.List())
	if err != nil {
		return fmt.Errorf("reporting this core: %w", err)
	}
	_, err = c.pool.Exec(ctx, `INSERT INTO core_report (core, build, started_at, reported_at, reasons, alarms)
		VALUES ($1, $2, $3, clock_timestamp(), $4, $5)
		ON CONFLICT (core) DO UPDATE SET build = excluded.build, started_at = excluded.started_at,
			reported_at = excluded.reported_at, reasons = excluded.reasons, alarms = excluded.alarms`,
		c.name(), telemetry.Build(), c.started, append([]string{}, c.unready()...), string(alarms))
	if err != nil {
		return fmt.Errorf("reporting this core: %w", err)
	}
	return nil
}

// leave takes the report of a core away that stops.
func (c *Core) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := c.pool.Exec(ctx, `DELETE FROM core_report WHERE core = $1`, c.name()); err != nil {
		c.logger.Debug("the report of this core stays behind for a while", "error", err)
	}
	return nil
}

func (c *Core) name() string { return c.cfg.Stream.Name }

// cores returns what the cores last said of themselves, and how this one is now.
func (c *Core) cores(ctx context.Context) ([]api.Core, error) {
	rows, err := c.pool.Query(ctx, `SELECT core, build, started_at, reported_at, extract(epoch FROM clock_timestamp() - reported_at)::float8,
			reasons, alarms
		FROM core_report WHERE reported_at > clock_timestamp() - $1::interval AND core <> $2 ORDER BY core`, forgottenAfter, c.name())
	if err != nil {
		return nil, fmt.Errorf("reading the reports of cores: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (api.Core, error) {
		var core api.Core
		var age float64
		var alarms string
		if err := row.Scan(&core.Name, &core.Build, &core.StartedAt, &core.ReportedAt, &age, &core.Reasons, &alarms); err != nil {
			return core, err
		}
		if silent := time.Duration(age * float64(time.Second)); silent > silentAfter {
			core.Reasons = []string{fmt.Sprintf("it has not reported for %s: it was killed, or does not reach the database", silent.Round(time.Second))}
		} else if err := json.Unmarshal([]byte(alarms), &core.Alarms); err != nil {
			core.Reasons = append(core.Reasons, "its alarms cannot be read by this build of core")
		}
		return core, nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the reports of cores: %w", err)
	}
	self := api.Core{
		Name: c.name(), Build: telemetry.Build(), StartedAt: c.started, ReportedAt: time.Now(), Reasons: c.unready(), Alarms: c.alarms.List(),
	}
	return append([]api.Core{self}, all...), nil
}

// forgetCores takes reports away that nobody is shown any more.
func (c *Core) forgetCores(ctx context.Context) error {
	_, err := c.pool.Exec(ctx, `DELETE FROM core_report WHERE reported_at < clock_timestamp() - $1::interval`, forgottenAfter)
	if err != nil {
		return fmt.Errorf("forgetting cores that are gone: %w", err)
	}
	return nil
}
