#!/usr/bin/env bash
# Runs tests; up to three files that fail are run once more, one after the other. On a busy machine a test may fail for lack of time
# alone: what passes then is told in a line of its own, and what fails twice has failed.
#
#   test/support/once-more.sh CONFIG COMMAND [ARGUMENT]...
#
# CONFIG: the configuration of vitest that COMMAND uses.
set -euo pipefail

most=3
config=$1
shift
list=$(mktemp)
trap 'rm -f "$list"' EXIT
if TESTS_FAILED=$list "$@"; then exit 0; fi
mapfile -t files <"$list"
if [ ${#files[@]} -eq 0 ] || [ ${#files[@]} -gt $most ]; then exit 1; fi
printf '\n== once more: %s\n' "${files[*]}"
npx vitest run --config "$config" --maxWorkers 1 --no-file-parallelism "${files[@]}"
printf '\n== FAILED ONCE, passed when run once more: %s\n' "${files[*]}"
