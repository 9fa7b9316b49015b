export { Analytics, type AnalyticsParts } from './analytics.js';
export { asked, LOG_EVENT, type Asked, type AskedBy, type Form } from './asked.js';
export { COUNT_MARK } from './digest/listing.js';
export { AnalyticsError } from './errors.js';
export { EVENT_WRITER, type Logged, type NewEvent } from './writing.js';
