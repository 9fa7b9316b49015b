/**
 * `/svc/image/<signature>/<options>/<id or path>`: an image in another size (docs/interface/media.md 2.4). The signature permits the size; whether
 * the image is shown is decided by the rights of who asks, as for the file itself.
 */
import type { Config } from '../../config/index.js';
import type { Files } from '../../files/index.js';
import type { Graph, GraphNode } from '../../graph/index.js';
import { hasState, HttpError, unescaped, type Exchange, type Handler } from '../../http/index.js';
import { checkSignature, IMAGES, parseOptions, type Media, type Variant } from '../../media/index.js';
import { Arrival, type RequestContext, type Requests } from '../../request/index.js';
import { shownRule, type SchemaService } from '../../schema/index.js';
import { sendError } from '../errors.js';
import { restSettings } from '../settings.js';

const ALLOW = 'GET,HEAD,OPTIONS';
const PATH = /^\/([\w-]{1,100})\/([\w,]{1,200})\/(.+)$/s;

export interface ImageParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly requests: Requests;
  readonly files: Files;
  readonly media: Media;
}

export function isImage(path: string): boolean {
  return path.startsWith(`${IMAGES}/`);
}

/** The rights on the image decide. */
class ImageArrival extends Arrival {
  find(): undefined {
    return undefined;
  }

  signature(): undefined {
    return undefined;
  }
}

/** The handler of everything below `/svc/image/`. */
export function createImages(parts: ImageParts): Handler {
  return async (exchange) => {
    try {
      const { method } = exchange;
      if (method === 'OPTIONS') {
        exchange.setHeader('Allow', ALLOW);
        exchange.end();
        return;
      }
      if (method !== 'GET' && method !== 'HEAD')
        throw new HttpError(405, `${method} is not possible here.`, { Allow: ALLOW });
      await answer(parts, exchange);
    } catch (error) {
      sendError(exchange, error);
    }
  };
}

async function answer(parts: ImageParts, exchange: Exchange): Promise<void> {
  const { config, media, requests } = parts;
  const [, signature = '', options = '', target = ''] = PATH.exec(unescaped(exchange.path).slice(IMAGES.length)) ?? [];
  if (target === '')
    throw new HttpError(404, 'The address of an image is /svc/image/<signature>/<options>/<id or path>.');
  checkSignature(config, signature, options, target);
  const wanted = parseOptions(options, config.get('application.images.url.maxsize'));
  const request = await requests.enter(new ImageArrival(exchange));
  const file = await find(parts, request, target);
  if (file === undefined) throw new HttpError(404, 'There is no image at this address.');
  const variant = media.variants.variantOf(file, wanted, exchange.header('accept'));
  const etag = `"${variant.name}"`;
  const headers = headersOf(variant, etag, config.get('application.images.url.maxage'));
  if (hasState(exchange.header('if-none-match'), etag)) {
    exchange.status = 304;
    for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
    exchange.end();
    return;
  }
  const bytes = await media.variants.bytes(variant, exchange.signal);
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
  exchange.setHeader('Content-Type', variant.contentType);
  exchange.setHeader('X-Content-Type-Options', 'nosniff');
  if (exchange.method === 'HEAD') {
    exchange.setHeader('Content-Length', String(bytes.length));
    exchange.end();
  } else exchange.end(bytes, true);
}

/** As the file itself would be found, and shown. */
async function find(
  { config, graph, schemas, files }: ImageParts,
  { access }: RequestContext,
  target: string,
): Promise<GraphNode | undefined> {
  const isId = restSettings(config).write.idPattern.test(target);
  const at = isId ? undefined : await files.fileAt(`/${target}`, access);
  return graph.read(async (tx) => {
    const node = isId ? await tx.node(target) : at;
    if (node === undefined || node.properties['hidden'] === true || !schemas.schema.typeOf(node).hasTrait('Image'))
      return undefined;
    const rule = shownRule(access);
    return rule === undefined || (await tx.permitted([node], rule))[0] === true ? node : undefined;
  });
}

/** What many share must not keep what not everybody may see. */
function headersOf({ file, negotiated }: Variant, etag: string, seconds: number): Record<string, string> {
  const { dontCache, visibleToPublicUsers } = file.properties;
  const shared = visibleToPublicUsers === true ? 'public' : 'private';
  const caching = seconds === 0 ? 'no-cache' : `max-age=${String(seconds)}`;
  return {
    ETag: etag,
    'Cache-Control': dontCache === true ? 'private, no-store' : `${shared}, ${caching}`,
    ...(negotiated ? { Vary: 'Accept' } : {}),
  };
}
