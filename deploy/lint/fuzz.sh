#!/bin/sh
# Runs every fuzz target of the module for a number of inputs, on top of its committed corpus: fuzz.sh 10000x
set -eu
cd "$(dirname "$0")/../.."
GO=${GO:-go}
inputs=${1:-10000x}

targets=$(git ls-files --cached --others --exclude-standard '*_test.go' |
	xargs grep -Ho '^func Fuzz[A-Za-z0-9_]*' | sed 's|^\(.*\)/[^/]*:func |./\1 |' | sort)
fuzz() {
	$GO test -run '^$' -fuzz "^$target\$" -fuzztime "$inputs" "$package" 2>&1
}

printf '%s\n' "$targets" | while read -r package target; do
	[ -n "$package" ] || continue
	printf 'fuzz %s %s with %s inputs\n' "$package" "$target" "$inputs"
	said=$(fuzz) && continue
	case $said in
	*'Failing input written'* | *'seed corpus'* | *'build failed'*) ;;
	*) # The engine stumbled, not the target: over its cache, or over its own end.
		printf '%s\nonce more:\n' "$said" >&2
		said=$(fuzz) && continue
		;;
	esac
	printf '%s\n' "$said" >&2
	exit 1
done
