import { choice, group, integer, path } from '../setting.js';

export const databaseSettings = {
  ...group('database/Connection', {
    'database.driver': choice('embedded', ['embedded'], 'Database engine', { restart: true }),
    'database.path': path('db', 'Folder of the embedded database', { restart: true }),
    'database.reader.threads': integer(1, 'Threads that run long queries of the embedded database', {
      min: 0,
      max: 64,
      restart: true,
    }),
    'database.cache.megabytes': integer(64, 'Page cache of the embedded database (MB)', {
      min: 1,
      max: 65_536,
      restart: true,
    }),
  }),
  ...group('database/Limits', {
    'database.result.softlimit': integer(10_000, 'Results of a request that names no page size', { min: 1 }),
    'database.query.timeout': integer(30_000, 'A query is given up after this time (ms)', { min: 1 }),
  }),
} as const;
