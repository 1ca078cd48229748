#!/bin/sh
# Runs every fuzz target of the module for a while, on top of its committed corpus: fuzz.sh 5s
set -eu
cd "$(dirname "$0")/../.."
GO=${GO:-go}
time=${1:-5s}

targets=$(git ls-files --cached --others --exclude-standard '*_test.go' |
	xargs grep -Ho '^func Fuzz[A-Za-z0-9_]*' | sed 's|^\(.*\)/[^/]*:func |./\1 |' | sort)
printf '%s\n' "$targets" | while read -r package target; do
	[ -n "$package" ] || continue
	printf 'fuzz %s %s for %s\n' "$package" "$target" "$time"
	if ! said=$($GO test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" 2>&1); then
		printf '%s\n' "$said" >&2
		exit 1
	fi
done
