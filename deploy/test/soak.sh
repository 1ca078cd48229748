#!/bin/sh
# Repeats the tests on real services at their full sizes, in changing order and with new seeds: soak.sh SECONDS
# Every round prints its seed; SVC_TEST_SEED repeats it.
set -eu
cd "$(dirname "$0")/../.."
GO=${GO:-go}
end=$(($(date +%s) + ${1:-3600}))
export SVC_TEST_SCALE="${SVC_TEST_SCALE:-1}"

round=1
while [ "$(date +%s)" -lt "$end" ]; do
	seed=${SVC_TEST_SEED:-$(date +%s%N)}
	printf 'round %d: SVC_TEST_SEED=%s SVC_TEST_SCALE=%s\n' "$round" "$seed" "$SVC_TEST_SCALE"
	SVC_TEST_SEED=$seed bin/local test-services -- "$GO" test -count=1 -shuffle=on -timeout 6h -p 1 \
		./deploy/e2e/... ./replication/... ./core/changelog ./core/changeset ./core/schemadeploy ./edge/...
	round=$((round + 1))
done
