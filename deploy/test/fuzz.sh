#!/bin/sh
# Explores every fuzz target of the module, on top of its committed corpus: fuzz.sh TIME, a duration for each target (60s)
# or a number of inputs (10000x). Go writes the input of a finding below testdata/fuzz: mend the fault and commit it.
set -eu
cd "$(dirname "$0")/../.."
GO=${GO:-go}
time=${1:-60s}

targets=$(git ls-files --cached --others --exclude-standard '*_test.go' |
	xargs grep -Ho '^func Fuzz[A-Za-z0-9_]*' | sed 's|^\(.*\)/[^/]*:func |./\1 |' | sort)
findings=0
while read -r package target; do
	printf 'fuzz %s %s for %s\n' "$package" "$target" "$time"
	said=$($GO test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" 2>&1) && continue
	case $said in
	*'Failing input written'* | *'seed corpus'* | *'build failed'*) findings=$((findings + 1)) ;;
	*) printf 'the fuzzing engine failed, not the target:\n' ;;
	esac
	printf '%s\n' "$said"
done <<END
$targets
END
printf '%d targets with a finding\n' "$findings"
[ "$findings" = 0 ]
