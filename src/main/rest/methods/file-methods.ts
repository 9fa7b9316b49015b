/** Content of files by method: reading, writing, checksums, what is in CSV and XML (docs/interface/imports.md 1). */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { BuiltinMethod } from './method.js';

const text = (input: JsonObject, key: string, absent: string): string => (input[key] as string | null) ?? absent;
const number = (input: JsonObject, key: string, absent: number): number => (input[key] as number | null) ?? absent;

const reading: readonly BuiltinMethod[] = [
  {
    trait: 'File',
    name: 'getFirstLines',
    parameters: { num: 'integer' },
    run: ({ services }, file, input) => services.files.methods.firstLines(file, number(input, 'num', 3)),
  },
  {
    trait: 'File',
    name: 'getCSVHeaders',
    parameters: { delimiter: 'string', quoteChar: 'string', recordSeparator: 'string' },
    run: ({ services }, file, input) => services.files.methods.csvHeaders(file, input),
  },
  {
    trait: 'File',
    name: 'getXMLStructure',
    parameters: {},
    run: ({ services }, file) => services.files.methods.xmlStructure(file),
  },
  {
    trait: 'File',
    name: 'getSearchContext',
    parameters: { 'searchString!': 'string', 'contextLength!': 'integer' },
    run: async ({ services }, file, input) =>
      services.files.methods.searchContext(file, text(input, 'searchString', ''), number(input, 'contextLength', 0)),
  },
  {
    trait: 'File',
    name: 'getContent',
    // Without an encoding bytes are asked for, which JSON has no other form of.
    parameters: { encoding: 'string' },
    run: ({ services, actor, access, exchange }, file, input) =>
      services.files.methods.content(file, text(input, 'encoding', 'base64'), { actor, access, exchange }),
  },
];

const writing: readonly BuiltinMethod[] = [
  {
    trait: 'File',
    name: 'setContent',
    parameters: { 'content!': 'any', encoding: 'string' },
    run: async ({ services, actor, access }, file, input) => {
      const { content = null } = input;
      await services.files.methods.setContent({ actor, access }, file, content, text(input, 'encoding', 'UTF-8'));
      return null;
    },
  },
  {
    trait: 'File',
    name: 'appendContent',
    parameters: { 'content!': 'any', encoding: 'string' },
    run: async ({ services, actor, access }, file, input) => {
      const { content = null } = input;
      await services.files.methods.appendContent({ actor, access }, file, content, text(input, 'encoding', 'UTF-8'));
      return null;
    },
  },
  {
    trait: 'File',
    name: 'copyFileContents',
    parameters: { 'target!': 'string' },
    run: ({ services, actor, access }, file, input) =>
      services.files.methods.copyContents({ actor, access }, file, text(input, 'target', '')),
  },
  {
    trait: 'File',
    name: 'calculateChecksums',
    parameters: { algorithms: 'array' },
    run: ({ services, actor, access, exchange }, file, input) => {
      const algorithms = (input['algorithms'] as JsonValue[] | null | undefined) ?? undefined;
      return services.files.methods.calculateChecksums({ actor, access }, file, algorithms, exchange.signal);
    },
  },
];

export const fileMethods: readonly BuiltinMethod[] = [...reading, ...writing];
