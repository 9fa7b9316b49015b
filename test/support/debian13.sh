#!/usr/bin/env bash
# Installs, builds and tests the commit at hand on Node 24 in a root of Debian 13, whose glibc the binary of uWebSockets.js needs: there the
# transport `uws` has to load.
#
#   test/support/debian13.sh [--prepare | FILE OR FOLDER OF TESTS...]
#
# With --prepare only the packages of the root are fetched and unpacked, in ROOT=FOLDER; a later run with this folder takes them.
# Without arguments: npm test. NODE_24=VERSION takes another Node. TAKE=FOLDER: what node24.sh has left there of this commit (KEEP),
# Node, packages and what is built, is taken instead of installing and building it again. DEBIAN_MIRROR: where packages come
# from. Needs root and debootstrap; ends with 0 and a line where it lacks them, or the packages cannot be had.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=${NODE_24:-24}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
skip() {
  echo "skipped: Debian 13 ($*)"
  exit 0
}
[ "$(id -u)" -eq 0 ] || skip 'only root can make a root'
command -v debootstrap >/dev/null || skip 'debootstrap is missing'

# unpack FOLDER: the packages of the root
unpack() {
  local log
  log=$(mktemp)
  debootstrap --variant=minbase --include=ca-certificates,curl,git,procps trixie "$1" "$mirror" >"$log" 2>&1 ||
    skip "debootstrap: $(tail -n 1 "$log")"
  rm -f "$log"
}
if [ "${1:-}" = --prepare ]; then
  mkdir -p "$ROOT"
  unpack "$ROOT/root"
  touch "$ROOT/prepared"
  exit 0
fi

scratch=$(mktemp -d)
root=$scratch/root
clean_up() {
  for place in proc dev root/.npm; do
    if mountpoint -q "$root/$place"; then umount -l "$root/$place" || return; fi
  done
  rm -rf --one-file-system "$scratch"
}
trap clean_up EXIT

# Where node24.sh had no Node, it has left none.
ready=${TAKE:-}
[ -e "$ready/node/node_modules/node/bin/node" ] && [ -d "$ready/svc/dist" ] || ready=
if [ -z "$ready" ]; then
  mkdir "$scratch/node"
  npm install --silent --no-save --prefix "$scratch/node" "node@$version" >/dev/null 2>&1 || skip "npm cannot install the package node@$version"
fi
if [ -n "${ROOT:-}" ] && [ -e "$ROOT/prepared" ]; then
  mv "$ROOT/root" "$root"
else
  unpack "$root"
fi

# Node of the registry, and the npm of this machine with its settings.
mkdir -p "$root/opt/node/bin" "$root/opt/node/lib"
cp -L "${ready:-$scratch}/node/node_modules/node/bin/node" "$root/opt/node/bin/node"
cp -rL "$(npm root --global)/npm" "$root/opt/node/lib/npm"
printf '#!/bin/sh\nexec node /opt/node/lib/npm/bin/npm-cli.js "$@"\n' >"$root/opt/node/bin/npm"
printf '#!/bin/sh\nexec node /opt/node/lib/npm/bin/npx-cli.js "$@"\n' >"$root/opt/node/bin/npx"
chmod +x "$root/opt/node/bin/npm" "$root/opt/node/bin/npx"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
# Certificates that this machine trusts beside those of Debian.
[ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
if [ -n "$ready" ]; then
  cp -a "$ready/svc" "$root/srv/svc"
else
  git clone --quiet --no-hardlinks "$here" "$root/srv/svc"
fi
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"

# Packages that this machine has fetched.
cache=$(npm config get cache)
if [ -d "$cache" ]; then
  mkdir -p "$root/root/.npm"
  mount --bind "$cache" "$root/root/.npm"
fi

inside() {
  chroot "$root" /usr/bin/env -u npm_config_nodedir HOME=/root PATH=/opt/node/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /srv/svc && $1" sh "${@:2}"
}
inside 'update-ca-certificates >/dev/null 2>&1; ldd --version | head -n 1; node --version'
[ -n "$ready" ] || inside 'npm ci && npm run build:unchecked --silent'
told=$(inside 'node test/support/transport.mjs')
echo "$told"
[ "$told" = 'transport uws' ] || exit 1
# It is built.
[ $# -gt 0 ] || inside 'test/support/once-more.sh vitest.config.ts npm test --ignore-scripts'
for tests in "$@"; do
  printf '\n== Debian 13: %s\n' "$tests"
  inside 'test/support/once-more.sh vitest.config.ts npx vitest run "$1"' "$tests"
done
