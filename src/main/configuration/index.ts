/** The configuration room: first-time setup and the Configuration Interface. */
export { createConfiguration, isConfiguration, type ConfigurationParts } from './endpoint.js';
export { ConfigurationError } from './errors.js';
export { ConfigSessions } from './sessions.js';
export { valuesAtStart } from './settings-view.js';
export { Setup } from './setup.js';
