/** Texts of mails are scripts, which run with the rights of whoever gets the mail: those of strangers must not be run. */
import type { PropertyMap } from '../../graph/index.js';
import type { TraitRule } from './rule.js';

/** Stored beside the declared keys. A mark of what may run, not of what may not: texts from before it are not to be trusted. */
export const SCRIPTS_ALLOWED = 'scriptsAllowed';

/** Whether the text of a `MailTemplate` was written by an administrator, or by the service: its scripts may be run. */
export function allowsScripts(properties: PropertyMap): boolean {
  return properties[SCRIPTS_ALLOWED] === true;
}

export const mailTemplateRule: TraitRule = {
  trait: 'MailTemplate',
  normalise(values, before, { actor }, input) {
    if ('text' in values) values[SCRIPTS_ALLOWED] = actor.isAdmin;
    // A text from before the mark is saved as it is. One of somebody else has to be changed: clients send whole objects back.
    else if (actor.isAdmin && 'text' in input && before?.[SCRIPTS_ALLOWED] === undefined)
      values[SCRIPTS_ALLOWED] = true;
  },
};
