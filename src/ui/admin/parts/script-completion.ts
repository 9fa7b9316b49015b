/** What is offered while a script is written: functions, keywords, types, and the keys of the types that it names. */
import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import { loadFunctions, type FunctionInfo } from '../server/functions.js';
import { loadProperties, loadTypes } from '../server/schema.js';

/** Types of one source whose keys are offered. */
const MOST_TYPES = 8;
/** Characters before the cursor that tell what is written there. */
const LOOKED_BACK = 5_000;

let types: Promise<readonly string[]> | undefined;
const keys = new Map<string, Promise<readonly Completion[]>>();

function typeNames(): Promise<readonly string[]> {
  types ??= loadTypes().then(
    (found) => found.map(({ name }) => name),
    () => {
      types = undefined;
      return [];
    },
  );
  return types;
}

function keysOf(type: string): Promise<readonly Completion[]> {
  let known = keys.get(type);
  if (known === undefined) {
    known = loadProperties(type).then(
      (found) =>
        found.map(({ jsonName, uiType }) => ({ label: jsonName, type: 'property', detail: `${type}: ${uiType}` })),
      () => {
        keys.delete(type);
        return [];
      },
    );
    keys.set(type, known);
  }
  return known;
}

const ofFunction = ({ kind, name, signature, meaning, example }: FunctionInfo): Completion => ({
  label: name,
  type: kind === 'function' ? 'function' : 'keyword',
  ...(signature === undefined ? {} : { detail: signature.slice(name.length) }),
  info: example === undefined ? meaning : `${meaning}\n\n${example}`,
});

/** Whether the place is in a text in quotes, by the line alone. */
function isQuoted(before: string): boolean {
  let quote = '';
  for (let i = 0; i < before.length; i++) {
    const c = before.charAt(i);
    if (c === '\\') i++;
    else if (quote === '' && (c === "'" || c === '"')) quote = c;
    else if (c === quote) quote = '';
  }
  return quote !== '';
}

/**
 * The source of an editor. `language`: what is written behind this text; functions of JavaScript stand behind `$.`. `own`: the type that
 * `this` is of.
 */
export function scriptCompletion(
  language: (before: string) => 'javascript' | 'expression' | 'other',
  own: () => string | undefined,
): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[$\w]*/);
    if (word === null) return null;
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, word.from - line.from);
    const kind = language(context.state.sliceDoc(Math.max(0, word.from - LOOKED_BACK), word.from));
    if (kind === 'other') return null;
    const isMember = before.endsWith('.');
    const isDollar = /(?:\$|\bSvc)\.$/.test(before);
    if (word.from === word.to && !isMember && !context.explicit) return null;
    const options: Completion[] = [];
    const all = await typeNames();
    const text = context.state.doc.toString();
    const named = all.filter((name) => name !== own() && new RegExp(`\\b${name}\\b`).test(text)).slice(0, MOST_TYPES);
    const offerKeys = async (): Promise<void> => {
      const mine = own();
      const found = await Promise.all([...(mine === undefined ? [] : [mine]), ...named].map(keysOf));
      const seen = new Set<string>();
      for (const one of found.flat()) {
        if (seen.has(one.label)) continue;
        seen.add(one.label);
        options.push(one);
      }
    };
    const offerTypes = (): void => {
      options.push(...all.map((label): Completion => ({ label, type: 'class' })));
    };
    if (isQuoted(before)) {
      offerTypes();
      await offerKeys();
    } else if (isMember && !isDollar) await offerKeys();
    else {
      // In JavaScript functions are members of `$` alone.
      if (isDollar || kind === 'expression') options.push(...(await loadFunctions()).map(ofFunction));
      if (isDollar || kind === 'expression') offerTypes();
      else options.push({ label: '$', type: 'namespace' });
    }
    return options.length === 0 ? null : { from: word.from, options, validFor: /^[$\w]*$/ };
  };
}
