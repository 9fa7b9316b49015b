import type { Handler } from '../http/index.js';
import type { RestServices } from './context.js';
import { createOpenApi } from './openapi/openapi.js';
import { createRest as createResources } from './rest.js';

/** The handler of the room: objects below `/svc/rest`, the description of it all below `/svc/openapi`. */
export function createRest(services: RestServices): Handler {
  const resources = createResources(services);
  const openApi = createOpenApi(services);
  return (exchange) => (exchange.path.startsWith('/svc/openapi') ? openApi(exchange) : resources(exchange));
}

export { createCsv, isCsv } from './csv/csv.js';
export { createForms, isForm } from './login/forms.js';
export { createFlow, isFlow } from './flow/flow.js';
export { Geocoder } from './geocoder/geocoder.js';
export { createConfirmationLinks, isConfirmationLink } from './login/confirmation-links.js';
export { createImages, isImage } from './images/images.js';
export { createScriptHost } from './script-host.js';
export { createProxy, PROXY } from './proxy/proxy.js';
export { createWatch } from './live/watched.js';
export { RestError, sendError, explainError } from './errors.js';
export { writeOptions } from './settings.js';
export { answerOff, answerUnbuilt } from './unbuilt.js';
export { Welcome } from './welcome/welcome.js';
export type { RestServices } from './context.js';
