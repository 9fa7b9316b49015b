import type { Graph } from '../graph/index.js';
import type { SchemaService } from '../schema/index.js';

const MOST = 1000;

/** Texts of mails: `MailTemplate` objects by name and locale, else defaults. They are read without permissions. */
export class MailTemplates {
  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
  ) {}

  /**
   * A text for each key of `defaults`: of the template of that name in this locale, of the one without locale, or the
   * default. Without `locale` the one without locale is preferred, then the oldest.
   */
  async texts<K extends string>(
    prefix: string,
    defaults: Readonly<Record<K, string>>,
    locale: string | undefined,
  ): Promise<Readonly<Record<K, string>>> {
    const keys = Object.keys(defaults) as K[];
    const found = await this.graph.read((tx) =>
      tx.find({
        kind: 'nodes',
        trait: 'MailTemplate',
        types: this.schemas.schema.type('MailTemplate')?.concreteTypes ?? [],
        where: { op: 'or', terms: keys.map((key) => ({ op: 'equals', key: 'name', value: `${prefix}_${key}` })) },
        limit: MOST,
      }),
    );
    const texts: Record<K, string> = { ...defaults };
    for (const key of keys) {
      const named = found.filter((node) => node.properties['name'] === `${prefix}_${key}`);
      const general = named.find((node) => (node.properties['locale'] ?? '') === '');
      const chosen =
        locale === undefined
          ? (general ?? named[0])
          : (named.find((node) => node.properties['locale'] === locale) ?? general);
      const text = chosen?.properties['text'];
      if (typeof text === 'string') texts[key] = text;
    }
    return texts;
  }
}
