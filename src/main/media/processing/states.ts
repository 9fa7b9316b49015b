/** Values of `processingState` besides `QUEUED` (docs/interface/media.md 1). */
export const RUNNING = 'RUNNING';
export const FAILED = 'FAILED';
