/** Texts of mails are scripts, which run with the rights of whoever gets the mail: those of strangers must not be run. */
import type { PropertyMap, StoredValue } from '../../../graph/index.js';
import { SchemaError } from '../../model/errors.js';
import { SCRIPTS_ALLOWED } from '../../rights/undeclared-keys.js';
import type { TraitRule } from '../rule.js';

/** Whether the text of a `MailTemplate` was written by an administrator, or by the service: its scripts may be run. */
export function allowsScripts(properties: PropertyMap): boolean {
  return properties[SCRIPTS_ALLOWED] === true;
}

/** `${name}` stands for a value and runs nothing. */
const VALUE = /\$\{\s*[A-Za-z_]\w{0,99}\s*\}/g;
/** Templates of this name say where the links of mails lead that hold keys. */
const LEADS = /_BASE_URL$/;

/** Whether a template is of the kind that administrators alone write: it runs, or decides where others' keys go. */
function needsAdministrator(name: unknown, text: unknown): boolean {
  if (typeof name === 'string' && LEADS.test(name)) return true;
  return typeof text === 'string' && text.replace(VALUE, '').includes('${');
}

export const mailTemplateRule: TraitRule = {
  trait: 'MailTemplate',
  normalise(values, before, { actor, options }, input) {
    const mayRun = actor.isAdmin || options.usersDecide === true;
    if (!mayRun) {
      const now = { ...before, ...values };
      if ([before ?? {}, now].some(({ name, text }) => needsAdministrator(name, text)) && changes(values, before)) {
        const message =
          'Only administrators may write templates of mails with scripts, or those that say where links lead.';
        throw new SchemaError(
          message,
          [{ type: 'MailTemplate', property: 'text', token: 'not_permitted' }],
          'forbidden',
        );
      }
    }
    if ('text' in values) values[SCRIPTS_ALLOWED] = mayRun;
    // A text from before the mark is saved as it is. One of somebody else has to be changed: clients send whole objects back.
    else if (mayRun && 'text' in input && before?.[SCRIPTS_ALLOWED] === undefined) values[SCRIPTS_ALLOWED] = true;
  },
};

function changes(values: Record<string, StoredValue | null>, before: PropertyMap | undefined): boolean {
  return Object.keys(values).some((key) => (values[key] ?? null) !== (before?.[key] ?? null));
}
