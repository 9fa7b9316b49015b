export { createRest } from './rest.js';
export { Geocoder } from './geocoder.js';
export { writeOptions } from './settings.js';
export type { RestServices } from './context.js';
