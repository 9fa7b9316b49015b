/**
 * Texts of an application by name, domain and locale (docs/interface/script-runtime.md 8.10): `Localization` objects, read without permissions. What was
 * looked up is kept, also that there is nothing, until a commit, here or on another instance, touches one of them.
 */
import type { Config } from '../../../config/index.js';
import type { Cache, Graph, GraphNode, ReadTransaction } from '../../../graph/index.js';
import type { Schema } from '../../../schema/index.js';
import type { ScriptRun, ScriptingParts } from '../../run/run.js';
import type { Awaitable } from '../../language/values.js';

/** Characters of all that is kept; then it begins anew. */
const MOST_KEPT = 8 * 1024 * 1024;
/** Localizations of one name in the locales that are looked for. */
const MOST_OF_ONE = 10_000;
/** What an entry costs beside its text. */
const PLACE = 64;
const TRAIT = 'Localization';

export class Localizations {
  private readonly known = new Map<string, string | undefined>();
  private size = 0;
  private readonly cache: Cache;

  constructor(private readonly parts: Pick<ScriptingParts, 'graph' | 'schemas' | 'config'>) {
    const { graph, config } = parts;
    this.cache = graph.caches.keep({
      name: 'scripting.localizations',
      dependsOn: [TRAIT, 'schema', 'settings'],
      // One that was one before says so only by the change of its type.
      concerns: ({ kind, type, key }) => kind === 'node' && (key === 'type' || this.types.includes(type)),
      changed: () => {
        this.forget();
      },
    });
    const forget = (): void => {
      this.cache.outdated();
      this.forget();
    };
    // Other types may be localizations now.
    parts.schemas.onChange(forget);
    for (const name of [
      'application.localization.usefallbacklocale',
      'application.localization.fallbacklocale',
    ] as const) {
      config.onChange(name, forget);
    }
  }

  private get types(): readonly string[] {
    return typesIn(this.parts.schemas.schema);
  }

  private forget(): void {
    this.known.clear();
    this.size = 0;
  }

  /** The text; undefined: there is none. A run that has changed something sees what it has changed. */
  find(name: string, domain: string, run: ScriptRun): Awaitable<string | undefined> {
    const { locale } = run;
    const read = (tx: ReadTransaction): Promise<string | undefined> =>
      lookUp(tx, run.schema, name, domain, localesOf(locale, this.parts.config));
    if (run.transaction.changes > 0) return run.transaction.read(read);
    const key = JSON.stringify([locale, domain, name]);
    if (this.known.has(key)) return this.known.get(key);
    return this.cache.read(
      () => run.transaction.read(read),
      (text) => {
        this.keep(key, text);
      },
    );
  }

  private keep(key: string, text: string | undefined): void {
    if (this.known.has(key)) return;
    this.size += key.length + (text?.length ?? 0) + PLACE;
    if (this.size > MOST_KEPT) this.forget();
    else this.known.set(key, text);
  }
}

function typesIn(schema: Schema): readonly string[] {
  return schema.type(TRAIT)?.concreteTypes ?? [];
}

/** Locales in the order in which they count: with country, without, then those of the fallback. */
function localesOf(locale: string, config: Config): readonly string[] {
  const wanted = [locale];
  if (config.get('application.localization.usefallbacklocale')) {
    wanted.push(config.get('application.localization.fallbacklocale').replaceAll('-', '_'));
  }
  return [...new Set(wanted.flatMap((one) => [one, one.split('_')[0] ?? one]))];
}

async function lookUp(
  tx: ReadTransaction,
  schema: Schema,
  name: string,
  domain: string,
  locales: readonly string[],
): Promise<string | undefined> {
  const found = await tx.find({
    kind: 'nodes',
    trait: TRAIT,
    types: typesIn(schema),
    where: {
      op: 'and',
      terms: [
        { op: 'equals', key: 'name', value: name },
        { op: 'in', key: 'locale', values: locales },
      ],
    },
    limit: MOST_OF_ONE,
  });
  const text = (node: GraphNode, key: string): string => {
    const value = node.properties[key];
    return typeof value === 'string' ? value : '';
  };
  for (const locale of locales) {
    for (const wanted of new Set([domain, ''])) {
      const one = found.find(
        (node) =>
          text(node, 'locale') === locale &&
          text(node, 'domain') === wanted &&
          typeof node.properties['localizedName'] === 'string',
      );
      if (one !== undefined) return text(one, 'localizedName');
    }
  }
  return undefined;
}

/** One a graph. */
const instances = new WeakMap<Graph, Localizations>();

export function localizationsOf(parts: ScriptingParts): Localizations {
  let known = instances.get(parts.graph);
  if (known === undefined) instances.set(parts.graph, (known = new Localizations(parts)));
  return known;
}
