/** The deployment room: applications, data and graphs as files (docs/design/deployment.md). */
export { Deployments } from './deployments.js';
export { DeploymentError } from './errors.js';
