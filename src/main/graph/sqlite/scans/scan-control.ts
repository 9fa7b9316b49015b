/** Positions in the shared memory with which the loop controls a scan in a worker. */

/** Not 0: the scan is to end. */
export const STOP = 0;
/** Number of batches the worker may have sent by now. */
export const GRANTED = 1;
