/**
 * Keys of schema objects that are stored, as clients send and read them, and have no effect (docs/interface/schema.md 2.9). Who gives one a
 * value that would mean something is told by the log. Keys that merely inform clients (`icon`, `category`, `isDynamic`, ...) are not here.
 */
import { logger } from '../../../../shared/log.js';
import type { StoredValue } from '../../../graph/index.js';
import { isSecretType } from '../../changes/secrets.js';
import { propertyTypes } from '../../properties/table.js';
import { FUNCTION } from '../../writing/function-properties.js';
import type { TraitRule } from '../rule.js';

const log = logger('schema');

type Values = Readonly<Record<string, StoredValue | null | undefined>>;

interface Row {
  readonly keys: readonly string[];
  readonly why: string;
  /** Whether it is so with these values; absent: always. */
  readonly when?: (values: Values) => boolean;
}

const typeOf = (values: Values): string => String(values['propertyType']);
const isFunction = (values: Values): boolean => typeOf(values) === FUNCTION;
const isStored = (values: Values): boolean => propertyTypes.has(typeOf(values));
const isNotion = (values: Values): boolean => ['Notion', 'IdNotion'].includes(typeOf(values));
const TEXTS: ReadonlySet<string> = new Set(['String', 'StringArray']);
const FORMLESS: ReadonlySet<string> = new Set(['Boolean', 'BooleanArray', 'ByteArray', 'Password', 'Encrypted']);

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  SchemaNode: [{ keys: ['isAbstract', 'isInterface'], why: 'objects of the type can be created all the same' }],
  SchemaRelationshipNode: [
    { keys: ['isServiceClass'], why: 'a relation is no service class' },
    { keys: ['propertyMask'], why: 'this version shows the properties all the same' },
  ],
  SchemaProperty: [
    { keys: ['validators', 'transformers'], why: 'nothing runs them; a format or an onSave method checks values' },
    { keys: ['fqcn'], why: 'this version has no properties of classes' },
    {
      keys: ['typeHint', 'readFunction', 'writeFunction', 'isCachingEnabled', 'openAPIReturnType'],
      why: 'it is for properties of type Function',
      when: (values) => !isFunction(values),
    },
    { keys: ['fulltext'], why: 'only texts have a full-text index', when: (values) => !TEXTS.has(typeOf(values)) },
    {
      keys: ['indexed'],
      why: 'nothing is stored that could be indexed',
      when: (values) => !isStored(values) && !isFunction(values),
    },
    {
      keys: ['unique', 'compound'],
      why: 'nothing is stored that could be compared',
      when: (values) => !isStored(values),
    },
    {
      keys: ['unique', 'compound'],
      why: 'what is stored of a secret is never the same',
      when: (values) => isSecretType(typeOf(values)),
    },
    {
      keys: ['notNull'],
      why: 'nothing is stored that could be missing',
      when: (values) => !isStored(values) && !isNotion(values),
    },
    {
      keys: ['defaultValue'],
      why: 'properties of this type have none',
      when: (values) => !isStored(values) || (typeOf(values).endsWith('Array') && typeOf(values) !== 'EnumArray'),
    },
    { keys: ['format'], why: 'properties of this type have none', when: (values) => FORMLESS.has(typeOf(values)) },
  ],
  SchemaMethod: [
    { keys: ['codeType'], why: 'methods in Java cannot be run', when: ({ codeType }) => codeType === 'java' },
    { keys: ['callSuper'], why: 'a method calls the inherited one itself' },
    { keys: ['exceptions'], why: 'nothing asks for them' },
  ],
};

/** Whether a value asks for something. */
function says(value: StoredValue | null | undefined): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value === 'string' || Array.isArray(value) ? value.length > 0 : true;
}

/** What has no effect of values that are being written; `all`: those of the whole object. */
function notices(rows: readonly Row[], values: Values, all: Values): string[] {
  // With another type other keys mean something.
  const isWritten = (key: string): boolean => key in values || 'propertyType' in values;
  return rows.flatMap(({ keys, why, when }) =>
    keys
      .filter((key) => isWritten(key) && says(all[key]) && when?.(all) !== false)
      .map((key) => `${key} is stored and has no effect: ${why}`),
  );
}

export const withoutEffectRules: readonly TraitRule[] = Object.entries(ROWS).map(([trait, rows]) => ({
  trait,
  normalise(values, before, objects) {
    const all = { ...before, ...values };
    const found = notices(rows, values, all);
    if (found.length === 0) return;
    const name = String(all['name'] ?? all['relationshipType']);
    objects.onEnd((committed) => {
      if (committed) for (const notice of found) log.warn(`${trait} ${name}: ${notice}`);
    });
  },
}));
