#!/bin/sh
# Checks that the generated files are what their generators write now. It leaves the new ones in place when they differ.
set -eu
cd "$(dirname "$0")/../.."

generated() {
	git ls-files -z --cached --others --exclude-standard '*.go' |
		xargs -0 grep -lZ '^// Code generated .* DO NOT EDIT\.$' | xargs -0 -r sha256sum
}
before=$(generated)
${MAKE:-make} --no-print-directory generate
after=$(generated)
if [ "$before" != "$after" ]; then
	printf 'generated code was out of date; commit what make generate wrote (before <, after >):\n' >&2
	printf '%s\n' "$before" >"${TMPDIR:-/tmp}/generated.$$"
	printf '%s\n' "$after" | diff "${TMPDIR:-/tmp}/generated.$$" - >&2 || true
	rm -f "${TMPDIR:-/tmp}/generated.$$"
	exit 1
fi
