/** Virtual types: how objects of one type are shown as another (docs/interface/builtin-types.md 8). */
import type { RelationDefinition, TraitDefinition } from '../model/definitions.js';
import { key, keys, namesOf, publicAndUi, relation, SOURCE_TO_TARGET, trait } from './rows.js';

const virtualType = [...keys('String', 'sourceType filterExpression'), key('Integer', 'position')];

const virtualProperty = [
  key('Integer', 'position'),
  ...keys('String', 'sourceName targetName inputFunction outputFunction'),
];

export const virtualTypeTraits: readonly TraitDefinition[] = [
  trait('VirtualType', [], virtualType, publicAndUi([...namesOf(virtualType), 'properties'])),
  trait('VirtualProperty', [], virtualProperty, publicAndUi([...namesOf(virtualProperty), 'virtualType'])),
];

export const virtualTypeRelations: readonly RelationDefinition[] = [
  relation('VirtualTypevirtualPropertyVirtualProperty', 'VirtualType', 'virtualProperty', 'VirtualProperty', '1:*', {
    targetKey: 'properties',
    sourceKey: 'virtualType',
    autocreation: SOURCE_TO_TARGET,
  }),
];
