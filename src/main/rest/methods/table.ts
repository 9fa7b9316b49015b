import type { Type } from '../../schema/index.js';
import { archiveMethods } from './archive.js';
import { fileMethods } from './file-methods.js';
import { htmlMethods } from './html-methods.js';
import { imageMethods } from './image-methods.js';
import { importMethods } from './import-methods.js';
import type { BuiltinMethod } from './method.js';
import { pageTreeMethods } from './tree-methods.js';
import { videoMethods } from './video-methods.js';

/** All methods of built-in types; a group of them is one file and one line here. */
const METHODS: readonly BuiltinMethod[] = [
  ...fileMethods,
  ...imageMethods,
  ...importMethods,
  ...archiveMethods,
  ...pageTreeMethods,
  ...htmlMethods,
  ...videoMethods,
];

/** The method of this name that objects of a type have, or the type itself; the one of the nearest trait. */
export function builtinMethod(type: Type, name: string, isStatic: boolean): BuiltinMethod | undefined {
  const named = METHODS.filter((method) => method.name === name && (method.isStatic === true) === isStatic);
  return type.traits.map((trait) => named.find((method) => method.trait === trait)).findLast((m) => m !== undefined);
}
