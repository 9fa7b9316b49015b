/** Texts of an application in the language of the user (docs/interface/script-runtime.md 8.10). */
import type { ScriptContext } from '../../run/run.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { localizationsOf } from './localizations.js';
import { note } from '../../run/notes.js';
import { textOf } from '../../language/text.js';
import { chain, type Awaitable, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { optionalText } from '../../run/function/arguments.js';
import { runSteps, Turns, wait, type Steps } from '../../language/steps.js';

function localized(name: string, domain: string, context: ScriptContext): Awaitable<string> {
  const { run } = context;
  if (name === '') return '';
  return chain(localizationsOf(run.parts).find(name, domain, run), (text) => {
    if (text === undefined && run.parts.config.get('application.localization.logmissing')) {
      const where = domain === '' ? '' : ` in the domain ${domain}`;
      note(context, `there is no localization of ${name} for ${run.locale}${where}`);
    }
    return text ?? name;
  });
}

function* localizedAll(names: readonly ScriptValue[], domain: string, context: ScriptContext): Steps<ScriptValue[]> {
  const turns = new Turns('localize()');
  const all: ScriptMap[] = [];
  for (const one of names) {
    yield* turns.pause();
    const name = one === null ? '' : textOf(one, context);
    const text = yield* wait(localized(name, domain, context));
    all.push(
      new Map([
        ['name', name],
        ['localizedName', text],
      ]),
    );
  }
  return all;
}

export const localize: ScriptFunction = {
  name: 'localize',
  signature: 'localize(key [, domain])',
  meaning:
    'The text of the Localization of this name in the locale of the script, the key itself when there is none; of a list of keys a list ' +
    'of maps with `name` and `localizedName`. Looked for with the domain before those without one, and with the country before the ' +
    'language alone.',
  example: "localize('no such text') // no such text",
  min: 1,
  max: 2,
  run: ([key = null, domain], context) => {
    const within = optionalText(domain, '', context);
    if (key === null) return '';
    if (Array.isArray(key)) return runSteps(localizedAll(key, within, context));
    return localized(textOf(key, context), within, context);
  },
};

export const localization: FunctionCategory = { title: 'Localization', functions: [localize] };
