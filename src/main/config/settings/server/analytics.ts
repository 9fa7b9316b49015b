import { group, integer } from '../../setting.js';

export const analyticsSettings = group('application/Analytics', {
  'analytics.retention.days': integer(0, 'Days after which events of the analytics log are deleted; 0: never', {
    min: 0,
    max: 36_500,
  }),
  'analytics.columns.from': integer(
    4096,
    'Events from which on they are kept by column, too, so that questions about all of them are quick; 0: never. Counts for the embedded database',
    { min: 0, max: 100_000 },
  ),
});
