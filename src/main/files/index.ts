/** The files room: the virtual filesystem, its content, upload and serving. */
export { FilesError } from './errors.js';
export { storagePolicy } from './storage/providers.js';
export { Files } from './files.js';
export { JOB_ACTIONS, type JobAction } from './jobs/queue.js';
export type { RequestContents } from './input-contents.js';
export { isResumable } from './resumable/resumable.js';
export { isUpload } from './upload.js';
