/** Methods that make pages and parts of them of HTML (docs/interface/pages.md 8.1, 9). */
import {
  boundedBy,
  buildBelow,
  importPage,
  importSite,
  MOST_HTML,
  readHtml,
  withValues,
  type HtmlNode,
  type ReadHtml,
} from '../../pages/index.js';
import { storedValue, type ObjectTransaction } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { RestRequest } from '../context.js';
import { RestError } from '../errors.js';
import { read } from '../read.js';
import { findEntity } from '../resources/objects/entity.js';
import { write } from '../write.js';
import { ResultNodes, type BuiltinMethod } from './method.js';

/** Characters of a configuration that are looked at; a longer one is none that somebody has written. */
const LONGEST_CONFIGURATION = 1024 * 1024;

export const htmlMethods: readonly BuiltinMethod[] = [
  {
    trait: 'Page',
    name: 'importPage',
    isStatic: true,
    parameters: {
      'name!': 'string',
      code: 'string',
      address: 'string',
      publicVisible: 'boolean',
      authVisible: 'boolean',
      includeInExport: 'boolean',
      processDeploymentInfo: 'boolean',
    },
    async run(request, input) {
      const isExport = input['processDeploymentInfo'] === true;
      const [name, code, address] = [textIn(input, 'name'), textIn(input, 'code'), textIn(input, 'address')];
      if (name === '') throw new RestError(422, 'A page that is imported needs a name.');
      if (code === '' && address === '') {
        throw new RestError(400, 'The method importPage needs the parameter "code" or "address".');
      }
      if (address !== '') {
        if (code !== '')
          throw new RestError(422, 'A page is imported from "code" or from an "address", not from both.');
        // What another site says of owners and scripts is not ours to do.
        if (isExport) throw new RestError(422, '"processDeploymentInfo" counts for "code", not for an "address".');
        return fromSite(request, name, address, input);
      }
      const nodes = await parsed(request, code, { what: 'The import of a page', isPage: true, isExport });
      const page = { name, ...visibilityOf(input) };
      return new ResultNodes(await write(request, 'Page', (objects) => importPage(objects, page, nodes), true));
    },
  },
  {
    trait: 'DOMNode',
    name: 'insertWidget',
    parameters: { 'widget!': 'string', values: 'object', processDeploymentInfo: 'boolean' },
    async run(request, { id, type }, input) {
      const { source, isForeign, processes } = await sourceOf(request, textIn(input, 'widget'));
      const isExport = typeof input['processDeploymentInfo'] === 'boolean' ? input['processDeploymentInfo'] : processes;
      // Owners, rights and links are not for somebody else to say with the rights of whoever inserts it.
      if (isExport && isForeign) {
        throw new RestError(422, 'Instructions in a widget of a user who is no administrator are not carried out.');
      }
      const html = withValues(source, valuesIn(input['values'] ?? null), MOST_HTML);
      const nodes = await parsed(request, html, { what: 'The widget', isExport });
      const insert = async (objects: ObjectTransaction): Promise<ResultNodes> => {
        const node = await objects.tx.node(id);
        if (node === undefined) throw new RestError(404, `No ${type} with UUID ${id} found.`);
        return new ResultNodes(await buildBelow(objects, node, nodes, isForeign ? 'data' : 'author'));
      };
      return write(request, 'DOMNode', insert, true);
    },
  },
];

function fromSite(request: RestRequest, name: string, address: string, input: JsonObject): Promise<JsonObject> {
  const { exchange, services, actor, access, settings } = request;
  const fields = { ...visibilityOf(input), includeInFrontendExport: input['includeInExport'] === true };
  return importSite(address, name, fields, {
    config: services.config,
    files: services.files,
    threads: services.scripting.parts.threads,
    run: boundedBy(exchange, services.config),
    actor,
    access,
    options: settings.write,
    write: (work) => write(request, 'Page', work, true),
  });
}

/** Whom what is imported is for. */
function visibilityOf(input: JsonObject): {
  readonly visibleToPublicUsers: boolean;
  readonly visibleToAuthenticatedUsers: boolean;
} {
  return {
    visibleToPublicUsers: input['publicVisible'] === true,
    visibleToAuthenticatedUsers: input['authVisible'] === true,
  };
}

function textIn(input: JsonObject, key: string): string {
  const value = input[key];
  return typeof value === 'string' ? value : '';
}

function parsed(
  request: RestRequest,
  html: string,
  how: Pick<ReadHtml, 'what' | 'isPage' | 'isExport'>,
): Promise<readonly HtmlNode[]> {
  const { exchange, services } = request;
  return readHtml(html, {
    ...how,
    threads: services.scripting.parts.threads,
    run: boundedBy(exchange, services.config),
  });
}

interface WidgetSource {
  readonly source: string;
  /** It may be somebody else's who is no administrator. */
  readonly isForeign: boolean;
  /** Its configuration says that instructions in it count. */
  readonly processes: boolean;
}

/** The source of a widget that the caller may read. */
async function sourceOf(request: RestRequest, id: string): Promise<WidgetSource> {
  if (!request.settings.write.idPattern.test(id)) throw new RestError(422, `${id.slice(0, 200)} is no widget.`);
  const widget = await read(request, (tx) => findEntity(request, tx, undefined, id));
  if (widget.kind !== 'node' || !request.schema.typeOf(widget).hasTrait('Widget')) {
    throw new RestError(422, `${id} is no widget.`);
  }
  const source = storedValue(widget, 'source');
  if (typeof source !== 'string' || source.trim() === '') throw new RestError(422, `The widget ${id} has no source.`);
  const processes = processesInstructions(storedValue(widget, 'configuration'));
  return { source, isForeign: widget.properties['sandboxed'] === true, processes };
}

/** A configuration is kept as it comes: one that cannot be read says nothing. */
function processesInstructions(configuration: unknown): boolean {
  if (typeof configuration !== 'string') return false;
  try {
    const read: unknown = JSON.parse(configuration.slice(0, LONGEST_CONFIGURATION));
    return (
      typeof read === 'object' &&
      read !== null &&
      'processDeploymentInfo' in read &&
      read.processDeploymentInfo === true
    );
  } catch {
    return false;
  }
}

function valuesIn(value: JsonValue): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return values;
  for (const [key, one] of Object.entries(value)) {
    if (typeof one === 'object') {
      if (one !== null)
        throw new RestError(422, `The value of ${key.slice(0, 200)} must be a text, a number or a boolean.`);
      continue;
    }
    values.set(key, String(one));
  }
  return values;
}
