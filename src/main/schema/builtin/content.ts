/** Mail templates, localizations, locations, the analytics log (docs/interface/builtin-types.md 6, 7). */
import type { RelationDefinition, TraitDefinition } from '../model/definitions.js';
import { key, keys, namesOf, publicAndUi, relation, SOURCE_TO_TARGET, str, trait, words } from './rows.js';

const mailTemplate = keys('String', 'text description* locale*');

const localization = [...keys('String', 'localizedName* domain* locale*!'), key('Boolean', 'imported')];

const location = [
  ...keys('Double', 'latitude* longitude* altitude*'),
  ...keys('String', 'country* postalCode* city* street* houseNumber* state* stateDistrict*'),
];

export const contentTraits: readonly TraitDefinition[] = [
  trait('MailTemplate', [], mailTemplate, publicAndUi(namesOf(mailTemplate))),
  trait('Localization', [], localization, publicAndUi(namesOf(localization))),
  trait('Location', [], location, publicAndUi(namesOf(location))),
  trait(
    'LogEvent',
    [],
    [str('message'), str('action', '*'), key('Date', 'timestamp', '*'), ...keys('String', 'subject* object*')],
    {
      public: words('message action timestamp subject object'),
    },
  ),
  trait('LogObject', [], []),
  trait('LogSubject', [], []),
];

export const contentRelations: readonly RelationDefinition[] = [
  relation('ObjectEventRelationship', 'LogEvent', 'OBJECT', 'LogObject', '*:1', {
    sourceKey: 'logEvents',
    autocreation: SOURCE_TO_TARGET,
  }),
  relation('SubjectEventRelationship', 'LogSubject', 'SUBJECT', 'LogEvent', '1:*', {
    targetKey: 'logEvents',
    autocreation: SOURCE_TO_TARGET,
  }),
];
