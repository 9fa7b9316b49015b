/** The files room: the virtual filesystem, its content, upload and serving. */
export { Belonging, BelongingError, type BelongingErrorCode } from './upkeep/belonging.js';
export type { Delivery, FileCallbacks } from './callbacks.js';
export { FilesError } from './errors.js';
export { storagePolicy } from './storage/providers.js';
export { Files } from './files.js';
export type { FileContent } from './content/readable-content.js';
export type { ImportScripts, TransformedCell } from './imports/script-runner.js';
export { JobError, type Job, type JobControl, type JobStatus } from './jobs/job.js';
export { JOB_ACTIONS, type JobAction } from './jobs/queue.js';
export type { Rights } from './jobs/rights.js';
export type { RequestContents } from './upload/input-contents.js';
export { isResumable } from './resumable/resumable.js';
export { isUpload } from './upload/upload.js';
export type { EvaluatedTemplate, TemplateReader } from './serve/template-evaluation.js';
export type { Writing } from './methods/methods.js';
export type { Within } from './zip/archives-within.js';
export type { ZipEncryption } from './zip/container/encryption.js';
export { askedMode, EDIT_MODES, type EditMode } from './serve/edit-mode.js';
