/** The commands of the Admin menu (docs/interface/operations.md 9.2). A command is an entry here. */
import { call, read, restPath } from '../../server/rest.js';
import { send } from '../../../common/request.js';
import type { OperationText } from '../../texts/schema-operations.js';

export type FieldKind = 'type' | 'text' | 'flag' | 'values';

export interface CommandField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly label: OperationText;
  readonly needed?: boolean;
}

export interface Command {
  readonly name: string;
  readonly title: OperationText;
  readonly help: OperationText;
  readonly fields?: readonly CommandField[];
  /** What cannot be taken back is asked for. */
  readonly question?: OperationText;
  /** The number of a job; `undefined`: it has been done. */
  readonly run: (input: Readonly<Record<string, unknown>>) => Promise<number | undefined>;
}

export interface CommandGroup {
  readonly title: OperationText;
  readonly commands: readonly Command[];
}

/** A maintenance command as a job, with fixed parameters and those of the form. */
const job =
  (command: string, fixed: Readonly<Record<string, unknown>> = {}) =>
  async (input: Readonly<Record<string, unknown>>): Promise<number | undefined> => {
    const result = await call<readonly { readonly jobId?: number }[]>(`maintenance/${command}`, {
      ...input,
      ...fixed,
      background: true,
    });
    return result?.[0]?.jobId;
  };

/** Takes all types away; functions, which are no types, stay. */
async function clearSchema(): Promise<undefined> {
  const { methods = [] } = JSON.parse(await read<string>('maintenance/_schemaJson')) as { readonly methods?: unknown };
  await send(restPath('maintenance/_schemaJson'), { method: 'POST', json: { schema: { definitions: {}, methods } } });
  return undefined;
}

const type: CommandField = { name: 'type', kind: 'type', label: 'field.type' };
const neededType: CommandField = { ...type, needed: true };
const relType: CommandField = { name: 'relType', kind: 'text', label: 'field.relType' };
const text = (name: string, label: OperationText, needed = false): CommandField => ({
  name,
  kind: 'text',
  label,
  needed,
});

export const COMMANDS: readonly CommandGroup[] = [
  {
    title: 'group.all',
    commands: [
      { name: 'rebuildAll', title: 'command.rebuildAll', help: 'command.rebuildAllHelp', run: job('rebuildIndex') },
      { name: 'flushCaches', title: 'command.flushCaches', help: 'command.flushCachesHelp', run: job('flushCaches') },
      {
        name: 'rebuildFulltext',
        title: 'command.fulltext',
        help: 'command.fulltextHelp',
        run: job('rebuildIndex', { mode: 'fulltext' }),
      },
      {
        name: 'analyzeSchema',
        title: 'command.analyze',
        help: 'command.analyzeHelp',
        question: 'command.analyzeQuestion',
        run: job('analyzeSchema'),
      },
      {
        name: 'clearSchema',
        title: 'command.clear',
        help: 'command.clearHelp',
        question: 'command.clearQuestion',
        run: clearSchema,
      },
    ],
  },
  {
    title: 'group.nodes',
    commands: [
      {
        name: 'rebuildNodes',
        title: 'command.rebuild',
        help: 'command.rebuildNodesHelp',
        fields: [type],
        run: job('rebuildIndex', { mode: 'nodesOnly' }),
      },
      {
        name: 'nodeIds',
        title: 'command.setUuid',
        help: 'command.setUuidHelp',
        fields: [type],
        run: (input) => job('setUuid', input['type'] === undefined ? { allNodes: true } : {})(input),
      },
      {
        name: 'createLabels',
        title: 'command.labels',
        help: 'command.labelsHelp',
        fields: [type],
        run: job('createLabels'),
      },
      {
        name: 'setNodeProperties',
        title: 'command.setProperties',
        help: 'command.setPropertiesHelp',
        question: 'command.setPropertiesQuestion',
        fields: [
          neededType,
          { name: 'values', kind: 'values', label: 'field.values' },
          { name: 'newType', kind: 'type', label: 'field.newType' },
        ],
        run: job('setNodeProperties'),
      },
      {
        name: 'fixNodeProperties',
        title: 'command.fix',
        help: 'command.fixHelp',
        fields: [neededType, text('name', 'field.property')],
        run: job('fixNodeProperties'),
      },
      {
        name: 'changeNodePropertyKey',
        title: 'command.changeKey',
        help: 'command.changeKeyHelp',
        fields: [type, text('oldKey', 'field.oldKey', true), text('newKey', 'field.newKey', true)],
        run: job('changeNodePropertyKey'),
      },
    ],
  },
  {
    title: 'group.relationships',
    commands: [
      {
        name: 'rebuildRelationships',
        title: 'command.rebuild',
        help: 'command.rebuildRelationshipsHelp',
        fields: [relType],
        run: job('rebuildIndex', { mode: 'relsOnly' }),
      },
      {
        name: 'relationshipIds',
        title: 'command.setUuid',
        help: 'command.setRelationshipUuidHelp',
        fields: [relType],
        run: (input) => job('setUuid', input['relType'] === undefined ? { allRels: true } : {})(input),
      },
      {
        name: 'setRelationshipProperties',
        title: 'command.setProperties',
        help: 'command.setRelationshipPropertiesHelp',
        question: 'command.setPropertiesQuestion',
        fields: [
          text('type', 'field.relType'),
          { name: 'values', kind: 'values', label: 'field.values', needed: true },
        ],
        run: job('setRelationshipProperties'),
      },
      {
        name: 'copyRelationshipProperties',
        title: 'command.copy',
        help: 'command.copyHelp',
        fields: [text('sourceKey', 'field.sourceKey', true), text('destKey', 'field.destKey', true)],
        run: job('copyRelationshipProperties'),
      },
    ],
  },
];
