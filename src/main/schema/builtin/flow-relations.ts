/**
 * Relationships of flows (docs/interface/builtin-types.md 11, docs/interface/schema.md). A key that only some types of an end use stands on that end
 * as a whole, so that the relationship type stays one. Where types name the same relationship differently, the
 * second name is a definition of its own over the same database type (end of the list).
 */
import type { RelationDefinition } from '../model/definitions.js';
import { BOTH_WAYS, relation, SOURCE_TO_TARGET, TARGET_TO_SOURCE } from './rows.js';

const both = { autocreation: BOTH_WAYS } as const;

export const flowRelations: readonly RelationDefinition[] = [
  relation('FlowContainerBaseNode', 'FlowContainer', 'FLOW_CONTAINER', 'FlowBaseNode', '1:*', {
    ...both,
    targetKey: 'flowNodes',
    sourceKey: 'flowContainer',
    cascadingDelete: SOURCE_TO_TARGET,
  }),
  relation('FlowContainerFlowNode', 'FlowContainer', 'START_NODE', 'FlowNode', '1:1', {
    ...both,
    targetKey: 'startNode',
    sourceKey: 'isStartNodeOfContainer',
  }),
  // Deleting a package deletes its flows and packages.
  relation('FlowContainerPackageFlow', 'FlowContainerPackage', 'CONTAINS_FLOW', 'FlowContainer', '1:*', {
    ...both,
    targetKey: 'flows',
    sourceKey: 'flowPackage',
    cascadingDelete: SOURCE_TO_TARGET,
  }),
  relation('FlowContainerPackagePackage', 'FlowContainerPackage', 'CONTAINS_PACKAGE', 'FlowContainerPackage', '1:*', {
    ...both,
    targetKey: 'packages',
    sourceKey: 'parent',
    cascadingDelete: SOURCE_TO_TARGET,
  }),
  relation(
    'FlowContainerConfigurationFlow',
    'FlowContainerConfiguration',
    'CONTAINS_CONFIGURATION_FOR',
    'FlowContainer',
    '*:1',
    { ...both, targetKey: 'flow', sourceKey: 'flowConfigurations', cascadingDelete: TARGET_TO_SOURCE },
  ),
  relation(
    'FlowActiveContainerConfiguration',
    'FlowContainerConfiguration',
    'ACTIVE_CONFIGURATION_FOR',
    'FlowContainer',
    '1:1',
    { ...both, targetKey: 'activeForFlow', sourceKey: 'activeConfiguration', cascadingDelete: TARGET_TO_SOURCE },
  ),
  relation('FlowContainerConfigurationPrincipal', 'FlowContainerConfiguration', 'BELONGS_TO', 'Principal', '*:1', {
    ...both,
    cascadingDelete: TARGET_TO_SOURCE,
  }),
  relation('FlowNodes', 'FlowNode', 'NEXT_FLOW_NODE', 'FlowNode', '*:1', { targetKey: 'next', sourceKey: 'prev' }),
  relation('FlowDataInput', 'FlowDataSource', 'DATA', 'FlowBaseNode', '1:*', {
    ...both,
    targetKey: 'dataTarget',
    sourceKey: 'dataSource',
  }),
  relation('FlowDataInputs', 'FlowDataSource', 'DATA_INPUTS', 'FlowBaseNode', '*:*', {
    ...both,
    sourceKey: 'dataSources',
  }),
  relation('FlowValueInput', 'FlowDataSource', 'VALUE_DATA', 'FlowBaseNode', '1:*', {
    ...both,
    sourceKey: 'valueSource',
  }),
  relation('FlowNodeDataSource', 'FlowDataSource', 'NODE_DATA_SOURCE', 'FlowDataSource', '1:*', {
    ...both,
    sourceKey: 'nodeSource',
  }),
  relation('FlowNameDataSource', 'FlowDataSource', 'NAME_DATA_SOURCE', 'FlowDataSource', '1:*', {
    ...both,
    sourceKey: 'propertyNameSource',
  }),
  relation('FlowAggregateStartValue', 'FlowDataSource', 'START_VALUE', 'FlowAggregate', '1:*', {
    ...both,
    sourceKey: 'startValue',
  }),
  relation('FlowScriptConditionSource', 'FlowDataSource', 'SCRIPT_SOURCE', 'FlowScriptCondition', '1:*', {
    ...both,
    sourceKey: 'scriptSource',
  }),
  relation('FlowKeyValueObjectInput', 'FlowKeyValue', 'KEY_VALUE_SOURCE', 'FlowObjectDataSource', '*:*', {
    ...both,
    targetKey: 'objectDataTargets',
    sourceKey: 'keyValueSources',
  }),
  relation('FlowCallContainer', 'FlowCall', 'FLOW', 'FlowContainer', '*:1', { targetKey: 'flow' }),
  relation('FlowCallParameter', 'FlowParameterInput', 'INPUT_FOR', 'FlowCall', '*:*', {
    ...both,
    targetKey: 'call',
    sourceKey: 'parameters',
  }),
  relation('FlowConditionBaseNode', 'FlowCondition', 'CONDITION_FOR_BASENODE', 'FlowBaseNode', '1:*', {
    ...both,
    targetKey: 'logicTargets',
  }),
  relation('FlowConditionCondition', 'FlowCondition', 'CONDITION', 'FlowCondition', '*:1', {
    ...both,
    targetKey: 'condition',
    sourceKey: 'conditions',
  }),
  relation('FlowDecisionCondition', 'FlowCondition', 'CONDITION', 'FlowDecision', '1:*', {
    ...both,
    targetKey: 'decisions',
    sourceKey: 'condition',
  }),
  relation('FlowDecisionTrue', 'FlowDecision', 'TRUE_RESULT', 'FlowNode', '*:1', { ...both, targetKey: 'trueElement' }),
  relation('FlowDecisionFalse', 'FlowDecision', 'FALSE_RESULT', 'FlowNode', '*:1', {
    ...both,
    targetKey: 'falseElement',
  }),
  relation('FlowExceptionHandlerNodes', 'FlowBaseNode', 'EXCEPTIONS_HANDLED_BY', 'FlowExceptionHandler', '*:1', {
    ...both,
    targetKey: 'exceptionHandler',
    sourceKey: 'handledNodes',
  }),
  relation('FlowForEachBody', 'FlowForEach', 'LOOP_BODY', 'FlowNode', '1:1', {
    ...both,
    targetKey: 'loopBody',
    sourceKey: 'prevForEach',
  }),
  relation('FlowForkBody', 'FlowFork', 'FORK_BODY', 'FlowNode', '1:1', { ...both, targetKey: 'loopBody' }),
  relation('FlowSwitchCases', 'FlowSwitch', 'SWITCH_CASE', 'FlowSwitchCase', '1:*', {
    targetKey: 'cases',
    sourceKey: 'switch',
  }),
  relation('DOMNodeFLOWFlowContainer', 'DOMNode', 'FLOW', 'FlowContainer', '*:1', {
    targetKey: 'flow',
    sourceKey: 'repeaterNodes',
  }),

  // Second names: FlowNodes, FlowConditionBaseNode and FlowDecisionCondition as single types call them.
  relation('FlowSwitchNEXT_FLOW_NODEFlowNode', 'FlowSwitch', 'NEXT_FLOW_NODE', 'FlowNode', '*:1', {
    targetKey: 'default',
  }),
  relation(
    'FlowConditionCONDITION_FOR_BASENODEFlowFilter',
    'FlowCondition',
    'CONDITION_FOR_BASENODE',
    'FlowFilter',
    '1:*',
    {
      ...both,
      sourceKey: 'condition',
    },
  ),
  ...['FlowIsTrue', 'FlowNotNull', 'FlowNotEmpty'].map((type) =>
    relation(`${type}CONDITIONFlowDecision`, type, 'CONDITION', 'FlowDecision', '1:*', {
      ...both,
      targetKey: 'decision',
    }),
  ),
];
