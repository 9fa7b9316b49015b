import { test } from 'vitest';
import { conformance } from './conformance.js';
import { neo4jUrl, openEmpty } from './neo4j.js';

if (neo4jUrl === undefined) test.skip('Neo4j: set NEO4J_URL', () => undefined);
else {
  conformance('neo4j', openEmpty);
}
