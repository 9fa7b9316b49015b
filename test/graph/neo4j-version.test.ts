import { expect, test } from 'vitest';
import { assertSupported } from '../../src/main/graph/neo4j/indexes/setup.js';

test.each(['5.0.0', '5.26.30', '2025.10.1'])('Neo4j %s is new enough', (version) => {
  expect(() => {
    assertSupported(version);
  }).not.toThrow();
});

test.each(['4.4.41', '3.5.0', 'undefined'])('Neo4j %s is refused in one line', (version) => {
  expect(() => {
    assertSupported(version);
  }).toThrow(`Neo4j ${version} is too old: 5 or newer is needed.`);
});
