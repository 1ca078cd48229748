package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"svc/bench/docs"
	"svc/bench/node"
	"svc/core/client"
	"svc/deploy/local"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	s, err := local.New(local.Config{Dir: "/tmp/e2e/stack", Bin: "/tmp/e2e/bin", Report: os.Stdout, Parts: []local.Kind{local.Postgres, local.NATS, local.Redis, local.S3, local.Core}})
	must(err)
	must(s.Remove())
	must(s.Start(ctx))
	defer s.Stop(ctx)
	a, err := s.Account(ctx)
	must(err)
	c := client.New(s.URL("core"), a.Token, nil)
	p, err := c.CreateProject(ctx, a.Organization, "x", "docs-x")
	must(err)
	h, err := docs.Load(os.Args[1])
	must(err)
	h.Edits = h.Edits[:60]
	t := time.Now()
	r, err := docs.Start(ctx, c, p.Slug, h)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("base", time.Since(t))
	t = time.Now()
	if err := r.Edits(ctx, 0, len(h.Edits), nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("edits", time.Since(t))
	ch := &docs.Check{History: h, Project: p.Slug, Nodes: []node.Node{{Name: "core", URL: s.URL("core")}}}
	for pin, site := range h.At([]uint64{1, 20, 61}) {
		t = time.Now()
		if err := ch.At(ctx, site, pin); err != nil {
			fmt.Println(err)
			return
		}
		if err := ch.Locale(ctx, site, pin, "fr"); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(pin, time.Since(t), ch.Reads)
	}
}
