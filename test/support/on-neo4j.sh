#!/usr/bin/env bash
# The REST tests once more with the data in the Neo4j of NEO4J_URL, imports, and those of several instances on one database.
set -euo pipefail
if [ -z "${NEO4J_URL:-}" ]; then
  echo 'skipped: servers on Neo4j (set NEO4J_URL, see test/support/neo4j.sh)'
  exit 0
fi
SVC_TEST_DRIVER=neo4j exec npx vitest run --config vitest.neo4j.config.ts
