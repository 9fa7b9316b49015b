/** Addresses that live events are asked for: read as a GET of the same path reads them (docs/interface/live.md 3). */
import type { ChangeNotice, Predicate, ReadTransaction } from '../../graph/index.js';
import type { Shown, Watch, Watched } from '../../live/index.js';
import type { Asker } from '../../request/index.js';
import { JsonOut, onlyReadable, Renderer, typeQuery, typesOf, type Schema, type Type } from '../../schema/index.js';
import { renderOptions } from '../answer/envelope.js';
import type { RestServices, RestSettings } from '../context.js';
import { RestError } from '../errors.js';
import { conditions, type Asking } from '../query/query.js';
import { Parameters } from '../request/parameters.js';
import { route, signatureOf } from '../router.js';
import { onRestSettingsChange, restSettings } from '../settings.js';

/** Characters of an object that an event carries. */
const MOST_JSON = 256 * 1024;
/** Parameters that say which part of a list an answer is: an event is about objects, wherever they stand in it. */
const OF_PAGES = ['page', 'pageSize', 'sort', 'order'] as const;
/** Headers of a GET that change what is written: there are none. */
const NO_HEADERS = { header: (): string => '' };

/** Makes sense of addresses like `Project?status=open` and `Project/<id>/ui`. */
export function createWatch(services: RestServices): Watch {
  let settings = restSettings(services.config);
  onRestSettingsChange(services.config, () => {
    settings = restSettings(services.config);
  });
  return (address) => {
    const one = new WatchedAddress(services, () => settings, address);
    // What makes no sense is told before anything else is done.
    one.place(services.schemas.schema);
    return one;
  };
}

/** Where an address leads, by one schema. */
interface Place {
  readonly type: Type;
  readonly id: string | undefined;
  readonly view: string;
  readonly signature: string;
}

class WatchedAddress implements Watched {
  readonly path: string;
  readonly #parameters: Parameters;
  #place: { readonly schema: Schema; readonly place: Place } | undefined;

  constructor(
    private readonly services: RestServices,
    private readonly settings: () => RestSettings,
    readonly address: string,
  ) {
    const at = address.indexOf('?');
    const path = (at < 0 ? address : address.slice(0, at)).replace(/^\/svc\/rest(?=\/)/, '');
    this.path = path.startsWith('/') ? path : `/${path}`;
    const { legacyParameters } = settings();
    this.#parameters = new Parameters(at < 0 ? '' : address.slice(at + 1), legacyParameters);
    const unusable = OF_PAGES.find((name) => this.#parameters.has(name));
    if (unusable !== undefined)
      throw new RestError(400, `${this.#parameters.nameOf(unusable)} has no meaning for a subscription: ${address}`);
  }

  /** Throws `RestError` 404 for what is no type of nodes or an object of one. */
  place(schema: Schema): Place {
    if (this.#place?.schema === schema) return this.#place.place;
    const found = route(this.path, schema, this.settings());
    const [, name = '', id, ...more] = found.path.split('/');
    const type = schema.type(name);
    const { idPattern } = this.settings().write;
    if (type?.kind !== 'node' || more.length > 0 || (id !== undefined && !idPattern.test(id)))
      throw new RestError(404, `Nothing to subscribe to: ${this.address} is no type of objects, and no object of one.`);
    const place = { type, id, view: found.view, signature: signatureOf(found) };
    this.#place = { schema, place };
    return place;
  }

  signature(schema: Schema): string {
    return this.place(schema).signature;
  }

  get id(): string | undefined {
    return this.place(this.services.schemas.schema).id;
  }

  get isFiltered(): boolean {
    return this.#parameters.filters.length > 0 || this.#parameters.has('distance');
  }

  get isWhole(): boolean {
    return this.id === undefined && !this.isFiltered;
  }

  touched({ kind, type, previousType, id, sourceId, targetId }: ChangeNotice): readonly string[] {
    const { schema } = this.services.schemas;
    const place = this.place(schema);
    const isOne = (name: string | undefined): boolean =>
      name !== undefined && schema.type(name)?.hasTrait(place.type.name) === true;
    let ids: readonly (string | undefined)[];
    if (kind === 'node') ids = place.id !== undefined || isOne(type) || isOne(previousType) ? [id] : [];
    else {
      const relation = schema.relations.get(type);
      const mayBe = (end: string | undefined): boolean => {
        const types = end === undefined ? undefined : typesOf(schema, end).types;
        return types?.some((one) => place.type.concreteTypes.includes(one)) ?? true;
      };
      ids = [mayBe(relation?.source) ? sourceId : undefined, mayBe(relation?.target) ? targetId : undefined];
    }
    return ids.filter((one) => one !== undefined && (place.id === undefined || one === place.id)) as string[];
  }

  shown(asker: Asker, ids: readonly string[]): Promise<ReadonlyMap<string, Shown>> {
    return this.#read(asker, async (tx, asking) => {
      const shown = new Map<string, Shown>();
      const query = await this.#query(tx, asking, { op: 'in', key: 'id', values: ids });
      for (const entity of await tx.find(query)) {
        const out = new JsonOut(false);
        await new Renderer(out, renderOptions(asking, tx)).root(entity, 0);
        const json = out.text.length > MOST_JSON ? undefined : out.text;
        shown.set(entity.id, { type: entity.type, json });
      }
      return shown;
    });
  }

  async all(asker: Asker, most: number): Promise<readonly string[] | undefined> {
    return this.#read(asker, async (tx, asking) => {
      const ids: string[] = [];
      const query = await this.#query(tx, asking, undefined);
      for await (const batch of tx.stream({ ...query, limit: most + 1 })) for (const { id } of batch) ids.push(id);
      if (this.id !== undefined && ids.length === 0)
        throw new RestError(404, `${this.address} is not there, or may not be read.`);
      return ids.length > most ? undefined : ids;
    });
  }

  /** What is shown of the type, and of these alone. */
  async #query(
    tx: ReadTransaction,
    asking: Asking,
    among: Predicate | undefined,
  ): Promise<ReturnType<typeof typeQuery>> {
    const { type, id } = this.place(asking.schema);
    const terms = [
      among,
      id === undefined ? undefined : ({ op: 'in', key: 'id', values: [id] } as const),
      await conditions(asking, tx, type),
    ].filter((term) => term !== undefined);
    const where: Predicate | undefined = terms.length > 1 ? { op: 'and', terms } : terms[0];
    return onlyReadable(typeQuery(type, where, []), asking.access);
  }

  #read<T>(asker: Asker, work: (tx: ReadTransaction, asking: Asking) => Promise<T>): Promise<T> {
    const { services } = this;
    return services.graph.read(
      (tx) => {
        const { schema } = services.schemas;
        const { view } = this.place(schema);
        const parameters = this.#parameters;
        const settings = this.settings();
        return work(tx, { ...asker, exchange: NO_HEADERS, services, settings, schema, parameters, view });
      },
      { snapshot: true, asker: asker.actor.id ?? '/live' },
    );
  }
}
