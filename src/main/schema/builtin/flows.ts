/** Flows and their nodes (docs/interface/builtin-types.md 10). Their relationships: `flow-relations.ts`. */
import type { TraitDefinition } from '../model/definitions.js';
import type { PropertyDefinition } from '../model/property.js';
import { key, keys, namesOf, oneOf, publicAndUi, str, trait, words } from './rows.js';

/** `<name of the package>.<name>`: unique, and writable, which creates missing packages. */
const effectiveName = (computation: string): PropertyDefinition =>
  key('Computed', 'effectiveName', '*u', { format: computation });

/** A type with its own properties and relation properties (`related`) in `public` and `ui`. */
function flowType(
  name: string,
  inherits: readonly string[],
  properties: readonly PropertyDefinition[] = [],
  related = '',
): TraitDefinition {
  return trait(name, inherits, properties, publicAndUi([...namesOf(properties), ...words(related)]));
}

const STEP = ['FlowBaseNode', 'FlowNode'];
const DATA = [...STEP, 'FlowDataSource'];
const CONDITION = [...DATA, 'FlowCondition'];
const LOGIC = [...CONDITION, 'FlowLogicCondition'];

const CONTAINER_PUBLIC = words(`
  effectiveName flowNodes startNode flowConfigurations activeConfiguration scheduledForIndexing repeaterNodes`);

export const flowTraits: readonly TraitDefinition[] = [
  // Flows themselves.
  trait(
    'FlowContainer',
    [],
    [
      str('name', '*!'),
      effectiveName('flowEffectiveName'),
      key('Boolean', 'scheduledForIndexing'),
      str('apiSpecification'),
    ],
    {
      public: CONTAINER_PUBLIC,
      ui: [...CONTAINER_PUBLIC, ...words('flowPackage apiSpecification')],
      effectiveNameView: words('type id effectiveName'),
    },
  ),
  flowType(
    'FlowContainerPackage',
    [],
    [str('name', '*!'), effectiveName('flowPackageEffectiveName'), key('Boolean', 'scheduledForIndexing')],
    'parent packages flows',
  ),
  flowType('FlowContainerConfiguration', [], keys('String', 'validForEditor* configJson'), 'flow activeForFlow'),

  // What nodes of a flow have in common.
  trait('FlowBaseNode', [], [], publicAndUi(['dataSource']), { traitOnly: true }),
  trait('FlowNode', ['FlowBaseNode'], [], publicAndUi(['isStartNodeOfContainer']), { traitOnly: true }),
  flowType('FlowDataSource', ['FlowBaseNode'], [str('query')], 'dataTarget exceptionHandler'),
  trait('FlowCondition', DATA, [], publicAndUi(words('conditions logicTargets')), { traitOnly: true }),
  trait('FlowLogicCondition', CONDITION, [], {}, { traitOnly: true }),

  // Steps.
  flowType('FlowAction', DATA, [str('script')], 'exceptionHandler'),
  flowType('FlowLog', STEP, [str('script')], 'exceptionHandler'),
  flowType('FlowAggregate', DATA, [str('script')], 'startValue exceptionHandler'),
  flowType('FlowCall', DATA, [], 'flow parameters'),
  flowType('FlowParameterInput', STEP, [str('key')], 'call'),
  flowType('FlowDecision', STEP, [], 'condition trueElement falseElement'),
  flowType('FlowExceptionHandler', DATA, [], 'handledNodes'),
  flowType('FlowFilter', DATA, [], 'condition'),
  flowType('FlowForEach', DATA, [], 'loopBody exceptionHandler'),
  flowType('FlowFork', DATA, [], 'loopBody exceptionHandler'),
  flowType('FlowForkJoin', STEP, [], 'exceptionHandler'),
  flowType('FlowReturn', STEP, [str('result')], 'exceptionHandler'),
  flowType('FlowStore', DATA, [oneOf('operation', 'store,retrieve'), str('key')]),
  flowType('FlowSwitch', STEP, [], 'default cases'),
  flowType('FlowSwitchCase', STEP, [str('case')], 'switch'),

  // Data.
  flowType('FlowCollectionDataSource', DATA, [], 'dataSources'),
  flowType('FlowFirst', DATA),
  flowType('FlowConstant', DATA, [str('value'), oneOf('constantType', 'String,Boolean,Integer,Double,Date')]),
  flowType('FlowGetProperty', DATA, [str('propertyName')], 'nodeSource propertyNameSource'),
  flowType('FlowKeyValue', DATA, [str('key')], 'objectDataTargets'),
  flowType('FlowObjectDataSource', DATA, [], 'keyValueSources'),
  flowType('FlowParameterDataSource', DATA, [str('key')]),
  flowType('FlowTypeQuery', DATA, [str('dataType')]),

  // Conditions.
  flowType(
    'FlowComparison',
    CONDITION,
    [oneOf('operation', 'equal,notEqual,greater,greaterOrEqual,less,lessOrEqual')],
    'valueSource dataSources decisions',
  ),
  flowType('FlowScriptCondition', CONDITION, [str('script')], 'scriptSource exceptionHandler'),
  flowType('FlowIsTrue', CONDITION, [], 'dataSources condition decision'),
  flowType('FlowNotNull', CONDITION, [], 'dataSources condition decision'),
  flowType('FlowNotEmpty', CONDITION, [], 'dataSources condition decision'),
  flowType('FlowAnd', LOGIC),
  flowType('FlowOr', LOGIC),
  flowType('FlowNot', LOGIC),
];
