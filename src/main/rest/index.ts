import type { Handler } from '../http/index.js';
import type { RestServices } from './context.js';
import { createCsv } from './csv/csv.js';
import { createOpenApi } from './openapi/openapi.js';
import { createRest as createResources, restMemory } from './rest.js';

/** The handlers of objects: below `/svc/rest`, with the description of it all below `/svc/openapi`, and below `/svc/csv`. */
export function createRest(services: RestServices): { readonly rest: Handler; readonly csv: Handler } {
  const memory = restMemory(services);
  const resources = createResources(services, memory);
  const openApi = createOpenApi(services);
  return {
    rest: (exchange) => (exchange.path.startsWith('/svc/openapi') ? openApi(exchange) : resources(exchange)),
    csv: createCsv(services, memory),
  };
}

export { isCsv } from './csv/csv.js';
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
