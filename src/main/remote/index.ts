/** How commands of `svc` ask a running server, and show what it does. */
export { RemoteError, type JobView, type RunningServer } from './running-server.js';
export { RestServer, type Credentials } from './rest-server.js';
export { lineOf, runShown, type Display, type Outcome } from './shown.js';
export { checkOptions, PASSWORD_VARIABLE, SERVER_HELP, SERVER_OPTIONS, type ServerOptions } from './options.js';
