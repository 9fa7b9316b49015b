export { createEventSource, EVENT_SOURCE, type EventSourceParts } from './endpoint.js';
export { Live, type LiveParts, type Recipients } from './live.js';
export type { Shown, Watch, Watched } from './watched.js';
