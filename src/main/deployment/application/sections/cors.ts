/** Settings for requests of pages of other servers, `security/cors-settings.json`. */
import { listSection, textOf } from '../list-section.js';

const KEYS = [
  'id',
  'requestUri',
  'acceptedOrigins',
  'maxAge',
  'allowMethods',
  'allowHeaders',
  'allowCredentials',
].concat('exposeHeaders');

export const cors = listSection({
  title: 'CORS Settings',
  file: 'security/cors-settings.json',
  type: 'CorsSetting',
  keys: KEYS,
  sortedBy: ({ requestUri }) => [textOf(requestUri)],
  style: 'lines',
  order: KEYS,
});
