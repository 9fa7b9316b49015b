#!/usr/bin/env bash
# The REST tests once more, with the data in the Neo4j of NEO4J_URL. One database, so one file after the other.
set -euo pipefail
if [ -z "${NEO4J_URL:-}" ]; then
  echo 'skipped: the REST tests on Neo4j (set NEO4J_URL, see test/support/neo4j.sh)'
  exit 0
fi
SVC_TEST_DRIVER=neo4j exec npx vitest run --no-file-parallelism test/rest
