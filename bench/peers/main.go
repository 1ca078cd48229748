// Command peers is PocketBase with the content that the scenario "peers" of package bench compares: it creates the
// collections in an empty directory, loads a file of JSON lines into them, and serves them as PocketBase does in production.
//
//	peers FILE DIR
//
// FILE holds the content, DIR takes PocketBase's data. The program prints its address ("127.0.0.1:port") once it listens,
// answers the API of PocketBase there (/api/collections/posts/records and so on), and ends with its input.
//
// It is a module of its own, so that PocketBase and what it depends on stay out of the product's list of modules.
package main

import (
	"fmt"
	"io"
	"net"
	"os"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: peers FILE DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(file, dir string) error {
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: dir, HideStartBanner: true})
	if err := app.Bootstrap(); err != nil {
		return fmt.Errorf("start PocketBase: %w", err)
	}
	if err := app.RunAllMigrations(); err != nil {
		return fmt.Errorf("make its tables: %w", err)
	}
	if err := createCollections(app); err != nil {
		return fmt.Errorf("create the collections: %w", err)
	}
	if err := load(app, file); err != nil {
		return fmt.Errorf("load %s: %w", file, err)
	}
	if err := settle(app); err != nil {
		return err
	}
	return serve(app)
}

// settle brings the database to the state that it has after some days: with statistics, without which SQLite would choose
// the wrong indexes, and with an empty log of writes. It turns the log of requests off, which an edge has none of either.
func settle(app core.App) error {
	for _, statement := range []string{"ANALYZE", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := app.NonconcurrentDB().NewQuery(statement).Execute(); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	app.Settings().Logs.MaxDays = 0
	if err := app.Save(app.Settings()); err != nil {
		return fmt.Errorf("turn its log of requests off: %w", err)
	}
	if err := app.Bootstrap(); err != nil { // only new connections know the statistics
		return fmt.Errorf("start PocketBase again: %w", err)
	}
	return nil
}

// serve answers until the input ends.
func serve(app core.App) error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.Listener = listener
		e.InstallerFunc = nil // it would open a browser to ask for the first superuser
		return e.Next()
	})
	go func() {
		// The end of the input is the sign; how it ends does not matter.
		_, _ = io.Copy(io.Discard, os.Stdin)
		end := &core.TerminateEvent{App: app}
		_ = app.OnTerminate().Trigger(end, func(*core.TerminateEvent) error { return nil })
	}()
	if _, err := fmt.Println(listener.Addr()); err != nil {
		return err
	}
	return apis.Serve(app, apis.ServeConfig{HttpAddr: listener.Addr().String()})
}
