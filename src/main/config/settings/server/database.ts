import { choice, group, integer, password, path, string } from '../../setting.js';

export const databaseSettings = {
  ...group('database/Connection', {
    'database.driver': choice('embedded', ['embedded', 'neo4j'], 'Database engine', { restart: true }),
    'database.connection.name': string(
      'default',
      'Name of this connection among those of the Configuration Interface',
      {
        pattern: /^[\w .-]{1,60}$/,
      },
    ),
    'database.path': path('db', 'Folder of the embedded database', { restart: true }),
    'database.reader.threads': integer(
      0,
      'Threads that run long queries of the embedded database; 0: two, or as many as there are processors, up to four',
      {
        min: 0,
        max: 64,
        restart: true,
      },
    ),
    'database.cache.megabytes': integer(64, 'Page cache of the embedded database (MB)', {
      min: 1,
      max: 65_536,
      restart: true,
    }),
    'database.parts.megabytes': integer(
      96,
      'Memory for the index of parts of texts of the embedded database (MB), one for all properties; 0: no such index',
      { min: 0, max: 65_536, restart: true },
    ),
    'database.parts.except': string('', 'Properties without such an index, separated by commas', {
      pattern: /^(\s*\w+\.\w+\s*(,\s*\w+\.\w+\s*)*)?$/,
      example: 'Customer.notes, Mail.subject',
      restart: true,
    }),
    'database.connection.url': string('bolt://localhost:7687', 'Address of the Neo4j server or cluster', {
      pattern: /^(bolt|neo4j)(\+s)?:\/\/[^\s/?#@]+\/?$/,
      example: 'bolt://localhost:7687, neo4j+s://graph.example.org',
      restart: true,
    }),
    'database.connection.username': string('neo4j', 'User name at the Neo4j server', { restart: true }),
    'database.connection.password': password('neo4j', 'Password at the Neo4j server', { restart: true }),
    'database.connection.databasename': string('neo4j', 'Name of the database of the Neo4j server', { restart: true }),
    'database.connection.poolsize': integer(
      50,
      'Connections to Neo4j at most; application.http.threads share them, with at least two each',
      { min: 1, max: 10_000, restart: true },
    ),
    'database.connection.timeout': integer(5000, 'Time for a connection to Neo4j to be made (ms)', {
      min: 1,
      restart: true,
    }),
    'database.connection.acquiretimeout': integer(10_000, 'Time to wait for a free connection to Neo4j (ms)', {
      min: 1,
      restart: true,
    }),
    'database.connection.starttimeout': integer(60_000, 'At start, time to wait for an unreachable Neo4j (ms)', {
      min: 0,
      restart: true,
    }),
  }),
  ...group('database/Limits', {
    'database.result.softlimit': integer(10_000, 'Results of a request that names no page size', { min: 1 }),
    'database.query.timeout': integer(30_000, 'A query is given up after this time (ms)', { min: 1 }),
    'database.writer.timeout': integer(
      15_000,
      'Time for which a transaction may keep others of the embedded database from writing (ms); 0: no limit',
      { min: 0, restart: true },
    ),
  }),
} as const;
