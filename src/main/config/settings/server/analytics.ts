import { group, integer } from '../../setting.js';

export const analyticsSettings = group('application/Analytics', {
  'analytics.retention.days': integer(0, 'Days after which events of the analytics log are deleted; 0: never', {
    min: 0,
    max: 36_500,
  }),
});
