/** Content of files by method: reading, writing, checksums, what is in CSV and XML (docs/interface/imports.md 1). */
import type { JsonValue } from '../../../shared/json/index.js';
import { numberIn, textIn, type BuiltinMethod } from './method.js';

const reading: readonly BuiltinMethod[] = [
  {
    trait: 'File',
    name: 'getFirstLines',
    parameters: { num: 'integer' },
    run: ({ services }, file, input) => services.files.methods.firstLines(file, numberIn(input, 'num') ?? 3),
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
      services.files.methods.searchContext(
        file,
        textIn(input, 'searchString') ?? '',
        numberIn(input, 'contextLength') ?? 0,
      ),
  },
  {
    trait: 'File',
    name: 'getContent',
    // Without an encoding bytes are asked for, which JSON has no other form of.
    parameters: { encoding: 'string' },
    run: ({ services, actor, access, exchange }, file, input) =>
      services.files.methods.content(file, textIn(input, 'encoding') ?? 'base64', { actor, access, exchange }),
  },
];

const writing: readonly BuiltinMethod[] = [
  {
    trait: 'File',
    name: 'setContent',
    parameters: { 'content!': 'any', encoding: 'string' },
    run: async ({ services, actor, access }, file, input) => {
      const { content = null } = input;
      await services.files.methods.setContent({ actor, access }, file, content, textIn(input, 'encoding') ?? 'UTF-8');
      return null;
    },
  },
  {
    trait: 'File',
    name: 'appendContent',
    parameters: { 'content!': 'any', encoding: 'string' },
    run: async ({ services, actor, access }, file, input) => {
      const { content = null } = input;
      await services.files.methods.appendContent(
        { actor, access },
        file,
        content,
        textIn(input, 'encoding') ?? 'UTF-8',
      );
      return null;
    },
  },
  {
    trait: 'File',
    name: 'copyFileContents',
    parameters: { 'target!': 'string' },
    run: ({ services, actor, access }, file, input) =>
      services.files.methods.copyContents({ actor, access }, file, textIn(input, 'target') ?? ''),
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
