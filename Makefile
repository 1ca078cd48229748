# `make` or `make help` lists the targets: the text behind "##" is their description.

GO      ?= go
# Where the version control cannot be read (another owner, no git), programs just do not tell their revision.
VCS     := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo true || echo false)
PROGRAMS = ./core/cmd/... ./edge/cmd/... ./deploy/local/cmd/...
# How long each fuzz target runs, and how many seconds the soak does.
FUZZTIME ?= 60s
SOAK     ?= 3600

# The programs of a deployment are built without cgo, and so is what reads a store in its own process.
BENCH = CGO_ENABLED=0 $(GO) run ./bench/cmd/bench

.PHONY: help
help: ## List the targets.
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  make %-14s %s\n", $$1, $$2 }'

.PHONY: run
run: install build ## Start everything on this machine: services, core, two edges, demo content. Ctrl-C stops it.
	@bin/local run

.PHONY: build
build: ## Build every program into bin/.
	@mkdir -p bin
	@[ -x bin/local ] || echo "building the programs into bin/ (the first time takes some minutes)"
	@CGO_ENABLED=0 $(GO) build -buildvcs=$(VCS) -o bin/ $(PROGRAMS)

.PHONY: install
install: ## Install the Debian packages that run needs, when they are missing.
	@deploy/local/install.sh

.PHONY: install-test
install-test: ## Install the Debian packages that test needs, when they are missing.
	@deploy/local/install.sh test

.PHONY: test
test: install-test ## Run every check and every test, the same in each run, with services and ports of its own.
	@deploy/test/test.sh

.PHONY: lint
lint: ## Check formatting, vet, staticcheck and the rules of deploy/lint.
	@deploy/lint/lint.sh

.PHONY: generate
generate: ## Write all generated code again.
	@mkdir -p bin
	@$(GO) build -o bin/protoc-gen-go google.golang.org/protobuf/cmd/protoc-gen-go
	@protoc --plugin=bin/protoc-gen-go -I replication/record --go_out=. --go_opt=module=svc record.proto
	@$(GO) generate ./...

.PHONY: verify
verify: ## Check that the generated code is current.
	@deploy/lint/verify.sh

.PHONY: soak
soak: install-test build ## Repeat the tests on real services at full size with new seeds, for SOAK seconds (an hour).
	@deploy/test/soak.sh $(SOAK)

.PHONY: fuzz
fuzz: ## Explore every fuzz target for FUZZTIME (60s). A finding is written as a case to commit.
	@deploy/test/fuzz.sh $(FUZZTIME)

.PHONY: bench-quick
bench-quick: build ## Run every benchmark on a small scale, to see that they run.
	$(BENCH) quick

.PHONY: bench
bench: build ## Run the benchmarks that the published figures come from, but those that take long, and write bench/results.
	$(BENCH) all

.PHONY: bench-table
bench-table: build ## Measure the performance table, in this process and on edges.
	$(BENCH) table

.PHONY: bench-million
bench-million: build ## Measure the lists of the performance table at 1,000,000 entries. It takes long.
	$(BENCH) million

.PHONY: bench-projects
bench-projects: build ## Start an edge of 10,000 projects, and measure its resident memory. It takes long.
	$(BENCH) projects

.PHONY: bench-history
bench-history: build ## Replay a real history, one release per edit, and compare every answer with its source.
	$(BENCH) history

.PHONY: bench-step
bench-step: build ## Read from both edges while 10,000 entries are published, and check that no answer mixes releases.
	$(BENCH) step

.PHONY: bench-lag
bench-lag: build ## Measure how long single-entry releases take to show on each edge.
	$(BENCH) lag

.PHONY: bench-rebuild
bench-rebuild: build ## Rebuild edges with 100,000 entries from nothing, and compare every answer.
	$(BENCH) rebuild

.PHONY: bench-memory
bench-memory: build ## Measure the resident memory of edges with 100,000 entries after a crawl.
	$(BENCH) memory

.PHONY: bench-push
bench-push: build ## Push schemas over 100,000 entries, and measure the time and the resident memory of core.
	$(BENCH) push

.PHONY: bench-publish
bench-publish: build ## Import and publish 1 to 10,000 entries, in an empty database and next to 100,000, and compare with other services.
	$(BENCH) publish

.PHONY: bench-sets
bench-sets: build ## Import, diff, publish, rebase and revert change sets of 10,000 entries, and measure the time and the resident memory of core.
	$(BENCH) sets

.PHONY: bench-previews
bench-previews: build ## Read with a preview token of 5,000 edits next to 100,000 entries, and measure the time and the resident memory of core.
	$(BENCH) previews

.PHONY: bench-reads
bench-reads: build ## Measure requests a second on an edge as ratios to a constant answer.
	$(BENCH) reads

.PHONY: bench-lists
bench-lists: build ## Measure filtered and ordered lists on an edge as ratios to a constant answer.
	$(BENCH) lists

.PHONY: bench-peers
bench-peers: build ## Compare an edge with PocketBase and with PostgreSQL alone, on the same reads.
	cd bench/peers && $(GO) build -buildvcs=$(VCS) -o ../../bin/ .
	$(GO) run ./bench/cmd/bench peers

.PHONY: bench-soak
bench-soak: build ## Publish and read for SOAK seconds (an hour) while parts are killed, and compare every node with what was published.
	$(BENCH) -for $(SOAK)s soak
