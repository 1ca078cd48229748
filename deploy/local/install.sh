#!/bin/sh
# Installs the Debian packages that the local stack and the tests need and that are missing, and nothing when none is.
#
#   deploy/local/install.sh         install what is missing of what the local stack needs
#   deploy/local/install.sh test    the same for the tests, which check the generated code and types too
#
# The packages are used for their programs. The services Debian sets up with them are neither started nor enabled, no
# database cluster is created, and whatever was installed before keeps its settings.
set -eu

say() { printf '%s\n' "$*" >&2; }
fail() { say "install: $*"; exit 1; }

has_postgres() {
	for server in /usr/lib/postgresql/*/bin/postgres "$(pg_config --bindir 2>/dev/null || true)/postgres"; do
		[ -x "$server" ] && [ -x "${server%postgres}initdb" ] || continue
		version=$("$server" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
		[ "$version" -ge 15 ] && return 0
	done
	return 1
}

has_redis() { PATH=$PATH:/usr/bin:/usr/sbin:/usr/local/bin command -v redis-server >/dev/null; }

missing=
want() {
	say "$1 is missing: $2"
	missing="$missing $1"
}
has_postgres || want postgresql-15 "the database of the stack, run as a private cluster"
has_redis || want redis-server "the shared rate limits, run as a private server"
command -v curl >/dev/null || want curl "the tour of the README"
if [ "${1:-}" = test ]; then
	command -v protoc >/dev/null || want protobuf-compiler "generates the code of the replication records"
	command -v tsc >/dev/null || want node-typescript "checks the types of schema files and of entries"
fi
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null || fail "this system has no apt-get; install PostgreSQL 15 or later and Redis 7 by hand"
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null && sudo -n true 2>/dev/null ||
		fail "packages can only be installed by root; run 'apt-get install$missing' as root, or deploy/local/install.sh"
	say "installing$missing with sudo"
	exec sudo -- "$0" "$@"
fi
say "installing$missing"

# Nothing may be started meanwhile. A policy that is there already comes back afterwards.
policy=/usr/sbin/policy-rc.d
clusters=/etc/postgresql-common/createcluster.conf
restore() {
	rm -f "$policy"
	[ ! -e "$policy.saved" ] || mv "$policy.saved" "$policy"
	[ ! -e "$clusters.saved" ] || mv "$clusters.saved" "$clusters"
}
trap restore EXIT
trap 'exit 1' INT TERM
# A saved file that is still there is from a run that was killed, and the true one.
[ -e "$policy.saved" ] || [ ! -e "$policy" ] || mv "$policy" "$policy.saved"
printf '#!/bin/sh\nexit 101\n' >"$policy"
chmod 755 "$policy"

export DEBIAN_FRONTEND=noninteractive
apt_install() {
	apt-get install -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" </dev/null >&2 ||
		fail "apt-get could not install $*; see its messages above"
}
apt-get update -o Dpkg::Use-Pty=0 >&2 || fail "apt-get could not read the package lists; see its messages above"

case $missing in *postgresql-15*)
	apt_install postgresql-common
	[ -e "$clusters.saved" ] || cp -p "$clusters" "$clusters.saved"
	printf '\ncreate_main_cluster = false\n' >>"$clusters"
	apt_install postgresql-15
	;;
esac
case $missing in *redis-server*)
	apt_install redis-server
	update-rc.d redis-server disable >/dev/null 2>&1 || say "Debian's own redis-server may start at the next boot"
	# Without systemd there is nothing more to disable.
	if command -v systemctl >/dev/null; then
		systemctl disable redis-server >/dev/null 2>&1 || say "Debian's own redis-server may start at the next boot"
	fi
	;;
esac
case $missing in *curl*) apt_install curl ;; esac
case $missing in *protobuf-compiler*) apt_install protobuf-compiler ;; esac
case $missing in *node-typescript*) apt_install node-typescript ;; esac
say "installed$missing"
