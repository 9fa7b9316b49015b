/**
 * Which other origins may read answers (contract, CORS entry): entries of the type `CorsSetting` by path, and the
 * settings `access.control.*` for what an entry leaves open.
 */
import { logger } from '../../../shared/log.js';
import type { Config } from '../../config/index.js';
import type { Cache, ChangeKind, Graph, GraphNode } from '../../graph/index.js';
import type { Exchange, Handler } from '../../http/index.js';
import type { SchemaService } from '../../schema/index.js';

const log = logger('security.cors');

/** Settings that count where an entry has no value of its own. */
const SETTINGS = [
  'access.control.accepted.origins',
  'access.control.max.age',
  'access.control.allow.methods',
  'access.control.allow.headers',
  'access.control.allow.credentials',
  'access.control.expose.headers',
] as const;

/** What an entry or the settings say, as text; undefined where an entry is silent. */
interface Texts {
  readonly origins: string | undefined;
  readonly maxAge: string | undefined;
  readonly methods: string | undefined;
  readonly headers: string | undefined;
  readonly credentials: string | undefined;
  readonly exposed: string | undefined;
}

/** The same, checked: everything here may be sent. Empty texts are not sent. */
interface Rule {
  readonly any: boolean;
  readonly origins: ReadonlySet<string>;
  readonly maxAge: string;
  readonly methods: string;
  readonly headers: string;
  readonly credentials: boolean;
  readonly exposed: string;
}

/** Tokens separated by commas: nothing in it can begin another header. */
const TOKENS = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[ \t]*,[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+)*$/;
const AGE = /^-?\d{1,10}$/;
const SHOWN = 60;

export class Cors {
  private entries: readonly (readonly [string, Texts])[] = [];
  private rules: ReadonlyMap<string, Rule> = new Map();
  /** Paths and rules, longest first. */
  private prefixes: readonly (readonly [string, Rule])[] = [];
  /** Holds where there is no entry for a path. */
  private fallback: Rule;
  private readonly cache: Cache;
  /** The state of the cache that the entries were read at. */
  private loaded = -1;
  private loading: Promise<void> | undefined;

  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
    private readonly config: Config,
  ) {
    this.fallback = ruleOf(this.settings(), 'access.control');
    let planned = false;
    for (const name of SETTINGS) {
      config.onChange(name, () => {
        // One reload may change several of them.
        if (planned) return;
        planned = true;
        queueMicrotask(() => {
          planned = false;
          this.compile();
        });
      });
    }
    this.cache = graph.caches.keep({
      name: 'security.cors',
      dependsOn: ['CorsSetting', 'settings'],
      concerns: (kind) => this.concerns(kind),
      // They are read again when the next request asks.
      changed: () => undefined,
    });
  }

  /** `handler` with the headers set before it runs, so that scripts can read errors too. */
  wrap(handler: Handler): Handler {
    return (exchange) => {
      const pending = this.apply(exchange);
      return pending === undefined ? handler(exchange) : pending.then(() => handler(exchange));
    };
  }

  /** Whether pages of this origin may use a visitor's cookies at this path: for `wrap`ped requests, by the entries read there. */
  trusts(origin: string, path: string): boolean {
    const rule = this.find(path);
    const name = origin.trim().toLowerCase();
    return rule.credentials && name !== 'null' && rule.origins.has(name);
  }

  /** Whether pages of this origin may read answers at this path; for `wrap`ped requests, as `trusts`. */
  accepts(origin: string, path: string): boolean {
    const rule = this.find(path);
    return rule.any || rule.origins.has(origin.trim().toLowerCase());
  }

  /** Sets the response headers for the origin a request comes from. Never fails. */
  private apply(exchange: Exchange): void | Promise<void> {
    // Behind other threads nothing is told of entries that they have seen. Nobody's answer depends on them where there is no origin and nothing to keep.
    const isAsked = exchange.method === 'GET' || exchange.method === 'HEAD' || exchange.header('origin') !== '';
    const current = isAsked ? this.graph.current() : undefined;
    if (current === undefined) return this.applyNow(exchange);
    return current.then(
      () => this.applyNow(exchange),
      (error: unknown) => {
        log.warn('it is not known whether the CORS entries are the newest, answers go without headers', error);
      },
    );
  }

  private applyNow(exchange: Exchange): void | Promise<void> {
    if (this.loaded === this.cache.state) {
      this.answer(exchange);
      return;
    }
    return this.load().then(
      () => {
        this.answer(exchange);
      },
      (error: unknown) => {
        // Without headers a browser refuses: nothing is open that somebody may just have closed.
        log.warn('the CORS entries could not be read, answers go without headers', error);
      },
    );
  }

  private answer(exchange: Exchange): void {
    const rule = this.find(exchange.path);
    if (!rule.any && rule.origins.size === 0) return;
    // Also without an origin, and for one that is refused: a cache must not hand this answer to another one.
    exchange.setHeader('Vary', 'Origin');
    const origin = exchange.header('origin').trim();
    if (origin === '') return;
    const listed = rule.origins.has(origin.toLowerCase());
    if (!listed && !rule.any) return;
    exchange.setHeader('Access-Control-Allow-Origin', listed ? origin : '*');
    // Every page may call itself `null`, so that it is nobody to trust; nor is `*`.
    if (this.trusts(origin, exchange.path)) exchange.setHeader('Access-Control-Allow-Credentials', 'true');
    if (rule.maxAge !== '') exchange.setHeader('Access-Control-Max-Age', rule.maxAge);
    if (rule.methods !== '' && exchange.header('access-control-request-method') !== '')
      exchange.setHeader('Access-Control-Allow-Methods', rule.methods);
    if (rule.headers !== '' && exchange.header('access-control-request-headers') !== '')
      exchange.setHeader('Access-Control-Allow-Headers', rule.headers);
    if (rule.exposed !== '') exchange.setHeader('Access-Control-Expose-Headers', rule.exposed);
  }

  /** The entry of exactly this path, else the longest that is a prefix of it by whole segments, else the settings. */
  private find(path: string): Rule {
    const exact = this.rules.get(path);
    if (exact !== undefined) return exact;
    for (const [uri, rule] of this.prefixes) {
      if (path.startsWith(uri) && (uri.endsWith('/') || path[uri.length] === '/')) return rule;
    }
    return this.fallback;
  }

  private concerns(change: ChangeKind): boolean {
    if (change.kind === 'relationship') return false;
    // One that was an entry before says so only by the change of its type.
    return change.key === 'type' || this.schemas.schema.typeOf(change).hasTrait('CorsSetting');
  }

  private load(): Promise<void> {
    this.loading ??= this.read().finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  private async read(): Promise<void> {
    const read = (): Promise<GraphNode[]> => {
      const types = this.schemas.schema.type('CorsSetting')?.concreteTypes ?? [];
      return this.graph.read((tx) => tx.find({ kind: 'nodes', trait: 'CorsSetting', types }));
    };
    await this.cache.current(read, (nodes) => {
      this.entries = nodes.map((node) => [text(node, 'requestUri')?.trim() ?? '', textsOf(node)]);
      this.compile();
      this.loaded = this.cache.state;
    });
  }

  private compile(): void {
    const settings = this.settings();
    const rules = new Map<string, Rule>();
    for (const [uri, entry] of this.entries) {
      if (uri === '') continue;
      if (rules.has(uri)) {
        log.warn(`there are several CORS entries for ${uri.slice(0, SHOWN)}; the oldest counts`);
        continue;
      }
      const merged = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
      rules.set(uri, ruleOf({ ...settings, ...merged }, `the CORS entry for ${uri.slice(0, SHOWN)}`));
    }
    this.rules = rules;
    this.prefixes = [...rules].sort(([a], [b]) => b.length - a.length);
    this.fallback = ruleOf(settings, 'access.control');
  }

  private settings(): Texts {
    const { config } = this;
    return {
      origins: config.get('access.control.accepted.origins'),
      maxAge: String(config.get('access.control.max.age')),
      methods: config.get('access.control.allow.methods'),
      headers: config.get('access.control.allow.headers'),
      credentials: config.get('access.control.allow.credentials'),
      exposed: config.get('access.control.expose.headers'),
    };
  }
}

function textsOf(node: GraphNode): Texts {
  return {
    origins: text(node, 'acceptedOrigins'),
    maxAge: text(node, 'maxAge'),
    methods: text(node, 'allowMethods'),
    headers: text(node, 'allowHeaders'),
    credentials: text(node, 'allowCredentials'),
    exposed: text(node, 'exposeHeaders'),
  };
}

function text(node: GraphNode, key: string): string | undefined {
  const value = node.properties[key];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

/** The rule for these texts; one that cannot be sent is left out, with a warning. */
function ruleOf(texts: Texts, where: string): Rule {
  const checked = (value: string | undefined, pattern: RegExp, what: string): string => {
    const trimmed = value?.trim() ?? '';
    if (trimmed === '' || pattern.test(trimmed)) return trimmed;
    log.warn(`${where}: ${what} is no list of names and is not sent`);
    return '';
  };
  const origins = (texts.origins ?? '')
    .split(',')
    .map((origin) => origin.trim().toLowerCase())
    .filter((origin) => origin !== '');
  const credentials = texts.credentials?.trim().toLowerCase() === 'true';
  if (credentials && origins.includes('*'))
    log.warn(`${where}: credentials are allowed for the origins that are named, not for those that only * accepts`);
  return {
    any: origins.includes('*'),
    origins: new Set(origins.filter((origin) => origin !== '*')),
    maxAge: checked(texts.maxAge, AGE, 'the max age'),
    methods: checked(texts.methods, TOKENS, 'the list of methods'),
    headers: checked(texts.headers, TOKENS, 'the list of headers'),
    credentials,
    exposed: checked(texts.exposed, TOKENS, 'the list of exposed headers'),
  };
}
