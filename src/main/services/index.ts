/** The services room: what runs by itself, on a schedule. */
export { isConfigured, tellVitalServices } from './configured.js';
export { Cron } from './cron.js';
export { StorageSync } from './storage-sync.js';
