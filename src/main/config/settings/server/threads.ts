import { group, integer } from '../../setting.js';

export const threadSettings = group('server/Threads', {
  'application.threads.short': integer(
    0,
    'Short work done at a time beside requests, as thumbnails; 0: as much as there are processors',
    { min: 0, max: 256, restart: true },
  ),
  'application.threads.long': integer(
    0,
    'Long work done at a time beside requests, as videos and texts; 0: half as much as there are processors',
    { min: 0, max: 256, restart: true },
  ),
  'application.threads.waiting': integer(1000, 'How much work of each kind may wait; more is refused (503)', {
    min: 1,
    max: 1_000_000,
    restart: true,
  }),
  'application.threads.memory': integer(512, 'Memory for the JavaScript of each of these threads (MB)', {
    min: 64,
    max: 8192,
    restart: true,
  }),
});
