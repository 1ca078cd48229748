#!/bin/sh
# Formatting, the lists of modules, vet, staticcheck and the rules of this directory, over the whole module.
set -eu
cd "$(dirname "$0")/../.."
GO=${GO:-go}

files=$(git ls-files --cached --others --exclude-standard '*.go' | while read -r file; do
	[ ! -e "$file" ] || printf '%s\n' "$file"
done)
unformatted=$(printf '%s\n' "$files" | xargs gofmt -l)
if [ -n "$unformatted" ]; then
	printf 'not formatted (run gofmt -w on them):\n%s\n' "$unformatted" >&2
	exit 1
fi
$GO mod tidy -diff
(cd deploy/lint/tools && $GO mod tidy -diff)
$GO vet ./...
$GO tool -modfile=deploy/lint/tools/go.mod staticcheck ./...
$GO test -count=1 ./deploy/lint/
