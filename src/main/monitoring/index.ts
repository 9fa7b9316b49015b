/** What the service tells of itself: health, metrics, times of statements, what has happened lately (docs/design/monitoring.md). */
export { AccessStatistics } from './access-statistics.js';
export { createHealth, createHealthInMaintenance } from './health.js';
export { createHistogram } from './histogram.js';
export { LogTail } from './log-tail.js';
export { createMetrics, metricNames } from './metrics.js';
export { QueryTimes } from './query-times.js';
export { RequestCounts } from './request-counts.js';
export { RuntimeEvents, type EventFilter, type RuntimeEvent } from './runtime-events.js';
export { ThreadCounts } from './thread-counts.js';
export { Tracing } from './tracing.js';
export { TransactionTimes } from './transaction-times.js';
