/** Imports of files as jobs (docs/interface/imports.md 3.1, 3.2); `/jobs` shows them. */
import type { BuiltinMethod } from './method.js';

export const importMethods: readonly BuiltinMethod[] = [
  {
    trait: 'File',
    name: 'doCSVImport',
    // Forms send words for numbers and truth: what a parameter may be is the import's to say.
    parameters: {},
    run: async ({ services, actor }, file, input) => (await services.files.imports.csv(actor, file, input)).id,
  },
  {
    trait: 'File',
    name: 'doXMLImport',
    // Its keys are paths of elements.
    parameters: {},
    run: async ({ services, actor }, file, input) => (await services.files.imports.xml(actor, file, input)).id,
  },
];
