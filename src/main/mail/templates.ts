import type { Graph } from '../graph/index.js';
import { allowsScripts, type SchemaService } from '../schema/index.js';

const MOST = 1000;

/** A text of a mail. */
export interface MailText {
  readonly text: string;
  /** An administrator wrote it: its scripts may be run. */
  readonly mayRun: boolean;
}

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
  ): Promise<Readonly<Record<K, MailText>>> {
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
    const texts = {} as Record<K, MailText>;
    for (const key of keys) {
      texts[key] = { text: defaults[key], mayRun: false };
      const named = found.filter((node) => node.properties['name'] === `${prefix}_${key}`);
      const general = named.find((node) => (node.properties['locale'] ?? '') === '');
      const chosen =
        locale === undefined
          ? (general ?? named[0])
          : (named.find((node) => node.properties['locale'] === locale) ?? general);
      if (chosen === undefined) continue;
      const { text } = chosen.properties;
      if (typeof text === 'string') texts[key] = { text, mayRun: allowsScripts(chosen.properties) };
    }
    return texts;
  }
}
