/** The one place where properties get their JSON string writer from. */
export { jsonString } from '../../../../shared/json/index.js';
