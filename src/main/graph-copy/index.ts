/** Copying a database to another place or engine, whole and verified: `svc graph copy`. */
export { HELP, parseArguments, type CopyArguments } from './arguments.js';
export { copyGraph, type CopyOptions, type CopyResult } from './copy.js';
export { accessOf } from './credentials.js';
export { CopyError, type CopyErrorCode } from './errors.js';
export { placeOf, type Access, type Place } from './places.js';
export { Progress, type Output, type Reporter } from './progress.js';
