#!/usr/bin/env bash
# Installs, builds and tests the commit at hand on Node 24, which the registry's package `node` brings: npm ci must not compile, and
# where glibc is older than 2.38 it is the second transport that is tested.
#
#   test/support/node24.sh [--prepare | FILE OR FOLDER OF TESTS...]
#
# Without arguments: npm test. NODE_24=VERSION takes another one (`22`, `24.1.0`). Tests run in a clone
# that is gone at the end; with KEEP=FOLDER it stays there, for debian13.sh. With --prepare it is installed and built in KEEP and nothing is
# tested; a later run with this folder goes on from there. Ends with 0 and a line where the registry has no such package.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=${NODE_24:-24}
scratch=${KEEP:-$(mktemp -d)}
mkdir -p "$scratch"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$scratch"' EXIT
# Tests run Node as other users, too.
chmod 755 "$scratch"

test_all() {
  cd "$scratch/svc"
  node test/support/transport.mjs
  failed=()
  [ $# -gt 0 ] || test/support/once-more.sh vitest.config.ts npm test || failed+=('npm test')
  for tests in "$@"; do
    printf '\n== Node %s: %s\n' "$(node --version)" "$tests"
    test/support/once-more.sh vitest.config.ts npx vitest run "$tests" || failed+=("$tests")
  done
  printf '\n== the release\n'
  # The Debian package has the same files, and is made by test:long.
  npx vitest run --config vitest.long.config.ts test/long/release.test.ts -t '^(?!.*Debian package)' || failed+=(test/long/release.test.ts)
  if [ ${#failed[@]} -gt 0 ]; then
    echo "FAILED on Node $(node --version): ${failed[*]}"
    exit 1
  fi
}

# What --prepare has left; without Node it found none.
if [ -e "$scratch/prepared" ]; then
  cat "$scratch/prepared"
  [ -e "$scratch/node/node_modules/node/bin/node" ] || exit 0
  PATH=$scratch/node/node_modules/node/bin:$PATH
  export PATH
  unset npm_config_nodedir
  test_all "$@"
  exit 0
fi

mkdir "$scratch/node"
if ! npm install --silent --no-save --prefix "$scratch/node" "node@$version" >"$scratch/install.log" 2>&1; then
  rm -rf "$scratch/node"
  echo "skipped: Node $version (npm cannot install the package node@$version here)" | tee "$scratch/prepared"
  exit 0
fi
PATH=$scratch/node/node_modules/node/bin:$PATH
export PATH
# Headers of another Node would build what does not load.
unset npm_config_nodedir
echo "Node $(node --version), npm $(npm --version)"

git clone --quiet --no-hardlinks "$here" "$scratch/svc"
cd "$scratch/svc"
begun=$SECONDS
# A compiler that is needed is missed: none of the packages may ask for it.
CC=/bin/false CXX=/bin/false npm_config_nodedir=/nowhere npm ci
echo "npm ci: $((SECONDS - begun)) s"
npm run build:unchecked --silent
if [ "${1:-}" = --prepare ]; then
  echo "Node $(node --version), installed and built in $((SECONDS - begun)) s" >"$scratch/prepared"
  exit 0
fi
test_all "$@"
