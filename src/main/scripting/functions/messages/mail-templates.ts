/** Texts of mail templates (docs/interface/scripting.md 14.11). */
import { findObjects } from '../objects/search.js';
import type { FunctionCategory } from '../../run/function/function.js';
import { ScriptEntity, chain, type ScriptValue } from '../../language/values.js';
import { replaced } from '../objects/calls.js';
import { misused } from '../../run/function/arguments.js';
import { typeIn } from '../objects/find.js';

export const mailTemplateFunctions: FunctionCategory = {
  title: 'Mail templates',
  functions: [
    {
      name: 'template',
      signature: 'template(name, locale, object)',
      meaning:
        'The text of the mail template of this name and locale that the user may read, with its scripts replaced by their results; ' +
        '"this" is the object, or keys of the map are names. Empty when there is no such template.',
      example: "template('no such template', 'en', me) // ",
      min: 3,
      max: 3,
      async run(args, context) {
        const [name = null, locale = null, object = null] = args;
        if (name === null || locale === null || object === null) return '';
        if (typeof name !== 'string' || typeof locale !== 'string') {
          return misused(this, 'needs the name and the locale of a template, as texts', context);
        }
        const wanted: ScriptValue[] = ['name', name, 'locale', locale];
        const found = await findObjects(typeIn('MailTemplate', context), wanted, context, false);
        const [first = null] = Array.isArray(found) ? found : [found];
        if (!(first instanceof ScriptEntity)) return '';
        return chain(context.run.entities.get(first, 'text', context), (text) =>
          typeof text === 'string' ? replaced(text, object, context) : '',
        );
      },
    },
  ],
};
