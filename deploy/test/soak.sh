#!/bin/sh
# Repeats the tests on real services at their full sizes, in changing order and with new seeds: soak.sh SECONDS
# Every round prints its seed; SVC_TEST_SEED repeats it.
set -eu
cd "$(dirname "$0")/../.."
GO=${GO:-go}
end=$(($(date +%s) + ${1:-3600}))
export SVC_TEST_SCALE="${SVC_TEST_SCALE:-1}"

# A browser reads what hostile Markdown becomes, once: nothing in it depends on a seed.
if SVC_TEST_BROWSER=${SVC_TEST_BROWSER:-$(command -v chromium)}; then
	printf 'hostile Markdown in %s\n' "$SVC_TEST_BROWSER"
	SVC_TEST_BROWSER=$SVC_TEST_BROWSER "$GO" test -count=1 ./shared/render
else
	printf 'no browser: rendered Markdown is not tried in one. Install the Debian package chromium, or name one in SVC_TEST_BROWSER\n'
fi

round=1
while [ "$(date +%s)" -lt "$end" ]; do
	seed=${SVC_TEST_SEED:-$(date +%s%N)}
	printf 'round %d: SVC_TEST_SEED=%s SVC_TEST_SCALE=%s\n' "$round" "$seed" "$SVC_TEST_SCALE"
	SVC_TEST_SEED=$seed bin/local test-services -- "$GO" test -count=1 -shuffle=on -timeout 6h -p 1 \
		./shared/read/... ./core/preview ./deploy/e2e/... ./replication/... ./core/api ./core/changelog ./core/changeset ./core/schemadeploy ./edge/...
	round=$((round + 1))
done
