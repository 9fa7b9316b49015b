import { group, integer } from '../../setting.js';

export const clusterSettings = {
  ...group('database/Cluster', {
    'cluster.lease.time': integer(
      10_000,
      'When the coordinator dies, another instance takes over within this time (ms)',
      {
        min: 1000,
        restart: true,
      },
    ),
  }),
} as const;
