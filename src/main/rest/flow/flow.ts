/** `/svc/flow/<effectiveName>`: which flows there are for who asks (docs/interface/monitoring.md 9). They are kept and deployed; nothing runs them yet. */
import { HttpError, unescaped, type Exchange, type Handler } from '../../http/index.js';
import { Arrival, type RequestContext } from '../../request/index.js';
import { onlyReadable, typeQuery } from '../../schema/index.js';
import type { RestServices } from '../context.js';
import { RestError, sendError } from '../errors.js';

const BASE = '/svc/flow';
const METHODS = 'GET,HEAD,OPTIONS,POST';
/** Flows of one name, in different packages. */
const FEW = 20;

export function isFlow(path: string): boolean {
  return path === BASE || path.startsWith(`${BASE}/`);
}

/** No permission is asked for: who may see a flow may call it. */
class FlowArrival extends Arrival {
  find(): undefined {
    return undefined;
  }

  signature(): undefined {
    return undefined;
  }
}

export function createFlow(services: Pick<RestServices, 'requests'>): Handler {
  return async (exchange) => {
    try {
      await answer(exchange, services);
    } catch (error) {
      sendError(exchange, error);
    }
  };
}

async function answer(exchange: Exchange, { requests }: Pick<RestServices, 'requests'>): Promise<void> {
  const { method } = exchange;
  if (method === 'OPTIONS') {
    exchange.setHeader('Allow', METHODS);
    exchange.end();
    return;
  }
  if (!METHODS.split(',').includes(method))
    throw new HttpError(405, `${method} is not possible here.`, { Allow: METHODS });
  const request = await requests.enter(new FlowArrival(exchange));
  const name = unescaped(exchange.path.slice(BASE.length + 1));
  if (await isThere(name, request, requests)) {
    exchange.place = `${BASE}/<name>`;
    throw new RestError(501, 'Not part of this version: flows are kept and deployed, and not run (/svc/flow).');
  }
  exchange.status = 404;
  exchange.setHeader('Content-Type', 'application/json;charset=utf-8');
  exchange.end('{"code":404,"error":"Requested flow could not be found."}');
}

/** Whether there is a flow that who asks may see. The effective name is the names of its packages and its own, with dots between. */
async function isThere(name: string, request: RequestContext, requests: RestServices['requests']): Promise<boolean> {
  const { schema, access } = request;
  const type = schema.type('FlowContainer');
  const parts = name.split('.').reverse();
  const [own = ''] = parts;
  if (type === undefined || own === '') return false;
  const where = { op: 'equals', key: 'name', value: own } as const;
  return requests.read(request, async (tx) => {
    const found = await tx.find({ ...onlyReadable(typeQuery(type, where, []), access), limit: FEW });
    for (const flow of found) {
      let { id } = flow;
      let fits = true;
      for (let i = 1; fits; i++) {
        const relType = i === 1 ? 'CONTAINS_FLOW' : 'CONTAINS_PACKAGE';
        const [[above] = []] = await tx.related([id], { relType, direction: 'in' }, 1);
        if (above === undefined) {
          fits = i === parts.length;
          break;
        }
        fits = above.properties['name'] === parts[i];
        ({ id } = above);
      }
      if (fits) return true;
    }
    return false;
  });
}
