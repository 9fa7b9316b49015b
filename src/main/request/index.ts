export { askerNow, askerOf, type Asker } from './asker.js';
export { Arrival, Delivery, type Entered, type RequestContext } from './context.js';
export { localeOf } from './locale.js';
export { Requests, type RequestParts } from './requests.js';
export { Standstill } from './standstill.js';
