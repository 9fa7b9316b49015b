#!/usr/bin/env bash
# The tests of the engine on Neo4j, the REST tests once more with the data in the Neo4j of NEO4J_URL, and those of several instances.
set -euo pipefail
if [ -z "${NEO4J_URL:-}" ]; then
  echo 'skipped: all on Neo4j (set NEO4J_URL, see test/support/neo4j.sh)'
  exit 0
fi
SVC_TEST_DRIVER=neo4j exec npx vitest run --config vitest.neo4j.config.ts
