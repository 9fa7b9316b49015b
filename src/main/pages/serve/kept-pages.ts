/**
 * Pages with `cacheForSeconds` as they were rendered, for whoever is not logged in and asks for the same (docs/design/pages.md 14): made once
 * for all who ask at the same time, forgotten with the next commit, whatever that changes.
 */
import type { Cache, Graph } from '../../graph/index.js';
import type { Exchange } from '../../http/index.js';
import type { PlannedTree } from '../render/trees.js';
import type { ReadyText } from './ready-text.js';

/** Bytes of all of them. */
const MOST = 32 * 1024 * 1024;

export interface KeptPage {
  readonly text: ReadyText;
  /** Ms. */
  readonly madeAt: number;
}

/**
 * How the making of a page has ended: with a page for all; `left`: whoever made it is gone; `own`: it is for whoever made it alone, the
 * others make theirs.
 */
export type Made = KeptPage | 'left' | 'own';

/** Tells, once, what a page has become. `personal`: what this tree makes is never for others; `own`: this time it is not. */
export type Keep = (made: ReadyText | 'personal' | 'own' | 'left') => void;

interface Entry extends KeptPage {
  readonly tree: PlannedTree;
  readonly until: number;
  readonly size: number;
}

interface Making {
  readonly tree: PlannedTree;
  readonly made: Promise<Made>;
}

export class KeptPages {
  /** The last used is the last. */
  readonly #known = new Map<string, Entry>();
  readonly #making = new Map<string, Making>();
  /** Trees whose pages are for whoever asks alone. */
  readonly #personal = new WeakSet<PlannedTree>();
  #size = 0;
  readonly #cache: Cache;

  constructor(graph: Graph) {
    this.#cache = graph.caches.keep({
      name: 'pages.rendered',
      dependsOn: ['every commit', 'pages.trees'],
      concerns: () => true,
      changed: () => {
        // Whoever asks from now on gets what is made from now on.
        this.#making.clear();
        this.#known.clear();
        this.#size = 0;
      },
    });
  }

  /** Whether a page of this tree may be for others than who asked first, as far as is known. */
  mayKeep(tree: PlannedTree): boolean {
    return !this.#personal.has(tree);
  }

  /** What is there for a key, or is being made; undefined: nothing. */
  find(key: string, tree: PlannedTree): KeptPage | Promise<Made> | undefined {
    const known = this.#known.get(key);
    if (known?.tree === tree) {
      this.#drop(key, known);
      if (known.until > Date.now()) {
        this.#put(key, known);
        return known;
      }
    }
    const making = this.#making.get(key);
    return making?.tree === tree ? making.made : undefined;
  }

  /** Makes the page of a key, for all who ask for it meanwhile. `work` says once what it has become, before that is sent. */
  async make(key: string, tree: PlannedTree, seconds: number, work: (made: Keep) => Promise<void>): Promise<void> {
    const { state } = this.#cache;
    let settle: (made: Made) => void = () => undefined;
    const making: Making = {
      tree,
      made: new Promise((resolve) => {
        settle = resolve;
      }),
    };
    this.#making.set(key, making);
    const end = (made: Made): void => {
      if (this.#making.get(key) === making) this.#making.delete(key);
      settle(made);
    };
    try {
      await work((made) => {
        if (made === 'personal') this.#personal.add(tree);
        if (typeof made === 'string') {
          end(made === 'personal' ? 'own' : made);
          return;
        }
        const madeAt = Date.now();
        const size = 2 * (made.plain.length + key.length);
        const entry = { tree, text: made, madeAt, until: madeAt + seconds * 1000, size };
        if (state === this.#cache.state) this.#put(key, entry);
        end(entry);
      });
    } finally {
      end('own');
    }
  }

  #put(key: string, entry: Entry): void {
    const before = this.#known.get(key);
    if (before !== undefined) this.#drop(key, before);
    this.#known.set(key, entry);
    this.#size += entry.size;
    for (const [oldest, one] of this.#known) {
      if (this.#size <= MOST) break;
      this.#drop(oldest, one);
    }
  }

  #drop(key: string, entry: Entry): void {
    if (this.#known.delete(key)) this.#size -= entry.size;
  }
}

/** What an answer for nobody in particular may depend on besides the page; a key for each. `locale`: the one that scripts get. */
export function keyOf(exchange: Exchange, root: string, locale: string): string {
  const { scheme, path, query } = exchange;
  return JSON.stringify([root, scheme, exchange.header('host'), path, query, locale]);
}

/** Members that tell one client from others; of headers `host` does not, which is in the key. */
const PERSONAL: ReadonlySet<PropertyKey> = new Set<PropertyKey>([
  'cookie',
  'address',
  'remoteAddress',
  'localAddress',
  'connectionId',
] satisfies (keyof Exchange)[]);

/** A request that tells when somebody looks at what is in no key: then the answer is for this client alone. */
export function watched(exchange: Exchange, personal: () => void): Exchange {
  return new Proxy(exchange, {
    get: (target, name) => {
      if (PERSONAL.has(name)) personal();
      if (name === 'header') {
        return (header: string): string => {
          if (header !== 'host') personal();
          return target.header(header);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
