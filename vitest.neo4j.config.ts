import { defineConfig, mergeConfig } from 'vitest/config';
import common from './vitest.config.js';

/** One file at a time on a database: two where there are two (test/graph/neo4j.ts). */
const databases = process.env['NEO4J_URL_2'] === undefined ? 1 : 2;

/**
 * Rules that stand above the graph: what they ask of it, other files ask there. `SVC_TEST_RUNS=all` takes them in; without, CI has six minutes
 * more.
 */
const ABOVE_THE_GRAPH = [
  'test/rest/{access-control,administrators-logins,attacks,bodies,gone-types,permissions-of-permissions,relationship-rights,review,revocation,schema-rules}.test.ts',
  'test/scripting/{function-table,lifecycle,rights}.test.ts',
  'test/maintenance/adoption-commands.test.ts',
  'test/system/user-passwd.test.ts',
];
const isAll = process.env['SVC_TEST_RUNS'] === 'all';

/** `npm run test:neo4j`: the engine, and servers that keep their data there. */
export default mergeConfig(
  defineConfig({ ...common, test: { ...common.test, include: [], exclude: [] } }),
  defineConfig({
    test: {
      include: [
        'test/graph/neo4j{,-follower,-kept,-plans}.test.ts',
        'test/rest/**/*.test.ts',
        'test/cluster/**/*.test.ts',
        'test/request/one-state.test.ts',
        'test/serving/front-end-threads.test.ts',
        'test/scripting/{conflicts,methods,lifecycle,rights,nested-transactions,indexed-functions,database-functions,function-table,fulltext}.test.ts',
        'test/files/imports.test.ts',
        'test/system/user-passwd.test.ts',
        'test/maintenance/*-commands.test.ts',
        'test/deployment/{application,data,sync}.test.ts',
      ],
      exclude: [
        // Its model has the order of texts that SQLite keeps; Neo4j's is another one beyond U+FFFF (docs/design/neo4j.md).
        'test/rest/filters-model.test.ts',
        // Where the data are makes no difference to headers, addresses, settings and keys of others.
        'test/rest/{bad-input,cors,cross-site,documented-password,forms,function-names,header-logins,nesting-time,openapi,password-policy,registration,secrets,sessions,tables,tokens,tokens-jwks,tokens-keypair,two-factor,unbuilt,urls,welcome,wrong-logins}.test.ts',
        ...(isAll ? [] : ABOVE_THE_GRAPH),
      ],
      fileParallelism: databases > 1,
      maxWorkers: databases,
    },
  }),
);
