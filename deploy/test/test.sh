#!/bin/sh
# Runs every check and every test, in stages. It ends with what each stage and the ten slowest packages took.
# Sizes and seeds are fixed, so that two runs of one commit do the same; soak.sh and fuzz.sh look for what is new.
set -eu
cd "$(dirname "$0")/../.."
GO=${GO:-go}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
trap 'exit 1' INT TERM

# stage NAME COMMAND... runs one stage. The first that fails ends the run.
stage() {
	name=$1
	shift
	printf '\n== %s\n' "$name"
	begun=$(date +%s)
	{ "$@" 2>&1 && echo 0 >"$results/status" || echo $? >"$results/status"; } | tee -a "$results/log"
	printf '%6d s  %s\n' $(($(date +%s) - begun)) "$name" >>"$results/stages"
	[ "$(cat "$results/status")" = 0 ] || {
		summary
		printf '\nfailed: %s\n' "$name"
		exit 1
	}
}

summary() {
	printf '\n== stages\n'
	cat "$results/stages"
	awk '{ sum += $1 } END { printf "%6d s  in all\n", sum }' "$results/stages"
	printf '\n== slowest packages\n'
	awk '$1 == "ok" || $1 == "FAIL" { if ($3 ~ /^[0-9.]+s$/) printf "%8.1f s  %s\n", $3, $2 }' "$results/log" | sort -rn | head -10
}

# tests FLAGS PACKAGES... runs tests with services of their own. Many of them wait for services more than they compute, so that
# four run at once. The checks have run vet.
tests() {
	bin/local test-services -- "$GO" test -count=1 -vet=off -parallel 4 -timeout 30m "$@"
}

# The race detector runs where the code under test runs inside the test process and shares memory between goroutines.
# It proves nothing about programs that tests start, nor about code that only computes.
race() { [ "$($GO env CGO_ENABLED)" != 1 ] || echo -race; }
export GORACE=atexit_sleep_ms=0 # programs with it otherwise wait a second before they end
endtoend='^svc/deploy/e2e$'
sequential='^svc/(shared/(content|read/readtest|query|schema|validate|value)|core/(account|asset|changeset|cli|client|diff|entry|event|openapi|project|wire)|deploy/(demo|local)|bench)(/|$)'
# These index so much text, or ask so much one after the other, that it makes minutes of their seconds.
heavy='^(TestReadsFromPostgreSQL|TestReloadsDoNotFillTheDisk|TestListsStayShortWhenEntriesAreRepublished|TestManyRepublishes|TestRepublishesAndDeletionsSlowNoFilters|TestRandomSequencesAgainstAModel)$'
packages() { $GO list ./... | grep -v '^svc/deploy/lint$' | grep "$@"; }

stage 'build' make --no-print-directory build
stage 'checks' deploy/lint/lint.sh
stage 'generated code' deploy/lint/verify.sh
stage 'packages with the race detector' tests $(race) -skip "$heavy" $(packages -vE "$sequential|$endtoend")
stage 'packages without it' tests $(packages -E "$sequential")
stage 'heavy tests without it' tests -run "$heavy" ./core/preview ./edge/store ./deploy/e2e/inprocess
stage 'end to end' tests $(packages -E "$endtoend")
summary
