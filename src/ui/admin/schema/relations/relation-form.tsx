/** The form of a relation between two types (docs/interface/schema.md 2.6, 9). */
import type { ReactNode } from 'react';
import type { Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { memberTexts } from '../../texts/schema-members.js';
import type { Values } from '../form/draft.js';
import { Choice, TextInput, useForm } from '../form/fields.js';
import { ObjectCard, ObjectWindow, type ObjectFormProps } from '../form/object-form.js';
import { OpenApiFields, openApiInput, openApiValues } from '../form/open-api.js';
import { isInternal, type Schema } from '../model.js';

const TEXTS = [
  ...(['relationshipType', 'sourceJsonName', 'targetJsonName', 'sourceNotion', 'targetNotion'] as const),
] as const;
const PROPAGATIONS = ['readPropagation', 'writePropagation', 'deletePropagation', 'accessControlPropagation'] as const;

const valuesOf = (entity: Entity): Values => ({
  ...Object.fromEntries(TEXTS.map((name) => [name, entity[name] ?? ''])),
  ...Object.fromEntries(PROPAGATIONS.map((name) => [name, entity[name] ?? 'Remove'])),
  sourceMultiplicity: entity['sourceMultiplicity'] ?? '*',
  targetMultiplicity: entity['targetMultiplicity'] ?? '*',
  cascadingDeleteFlag: entity['cascadingDeleteFlag'] ?? 0,
  autocreationFlag: entity['autocreationFlag'] ?? 0,
  permissionPropagation: entity['permissionPropagation'] ?? 'None',
  ...openApiValues(entity),
});

/** A type by the id of its SchemaNode, a built-in one by its name. */
function endOf(schema: Schema, end: 'source' | 'target', name: unknown): Values {
  const type = schema.types.find((one) => one.name === name);
  return type?.id === undefined ? { [`${end}Type`]: name } : { [`${end}Id`]: type.id };
}

const NEW: Values = {
  ...Object.fromEntries(TEXTS.map((name) => [name, ''])),
  ...Object.fromEntries(PROPAGATIONS.map((name) => [name, 'Remove'])),
  sourceMultiplicity: '1',
  targetMultiplicity: '*',
  cascadingDeleteFlag: 0,
  autocreationFlag: 0,
  permissionPropagation: 'None',
  includeInOpenAPI: false,
  tags: [],
  summary: '',
  description: '',
};

export interface RelationFormProps {
  readonly schema: Schema;
  readonly onDone: () => void;
}

/** A window for a new relation; `source` and `target`: the types that it is drawn between. */
export function CreateRelation({
  schema,
  source = '',
  target = '',
  onDone,
  onClose,
}: RelationFormProps & {
  readonly source?: string;
  readonly target?: string;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  return (
    <ObjectWindow
      title={t('relations.new')}
      collection="SchemaRelationshipNode"
      initial={{ ...NEW, sourceType: source, targetType: target }}
      valuesOf={valuesOf}
      inputOf={({ sourceType, targetType, ...values }) => ({
        ...openApiInput(values),
        ...endOf(schema, 'source', sourceType),
        ...endOf(schema, 'target', targetType),
      })}
      onDone={onDone}
      onClose={onClose}
    >
      {() => <Fields schema={schema} isNew />}
    </ObjectWindow>
  );
}

/** The form of a relation that is there, in the page. */
export function RelationSettings({
  schema,
  relation,
  onDone,
  onDeleted,
}: RelationFormProps & { readonly relation: Entity; readonly onDeleted: () => void }): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const props: Omit<ObjectFormProps, 'children'> = {
    collection: 'SchemaRelationshipNode',
    id: relation.id,
    initial: valuesOf(relation),
    valuesOf,
    inputOf: openApiInput,
    onDone,
    deleteQuestion: t('relations.deleteQuestion', { name: relation.name ?? '' }),
    onDeleted,
  };
  return <ObjectCard {...props}>{() => <Fields schema={schema} isNew={false} />}</ObjectCard>;
}

function Fields({ schema, isNew }: { readonly schema: Schema; readonly isNew: boolean }): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const { draft } = useForm();
  const types = [
    '',
    ...schema.types.filter(({ name, isServiceClass }) => !isServiceClass && !isInternal(name)).map(({ name }) => name),
  ];
  // Which of the two types gets the property.
  const helpOf = (end: 'source' | 'target', help: string): string => {
    const type = draft.values[`${end}Type`];
    return typeof type === 'string' && type !== '' ? `${t('relations.ofType', { type })} ${help}` : help;
  };
  const multiplicities = [
    ['1', t('relations.one')],
    ['*', t('relations.many')],
  ] as const;
  return (
    <>
      <TextInput name="relationshipType" label={t('relations.type')} help={t('relations.typeHelp')} />
      <div className="ends">
        <fieldset className="group">
          <legend>{t('relations.source')}</legend>
          {isNew ? <Choice name="sourceType" label={t('relations.sourceType')} options={types} /> : null}
          <Choice name="sourceMultiplicity" label={t('relations.howManySources')} options={multiplicities} />
          <TextInput
            name="sourceJsonName"
            label={t('relations.sourceName')}
            help={helpOf('target', t('relations.sourceNameHelp'))}
          />
          <TextInput name="sourceNotion" label={t('relations.notion')} help={t('relations.notionHelp')} />
        </fieldset>
        <fieldset className="group">
          <legend>{t('relations.target')}</legend>
          {isNew ? <Choice name="targetType" label={t('relations.targetType')} options={types} /> : null}
          <Choice name="targetMultiplicity" label={t('relations.howManyTargets')} options={multiplicities} />
          <TextInput
            name="targetJsonName"
            label={t('relations.targetName')}
            help={helpOf('source', t('relations.targetNameHelp'))}
          />
          <TextInput name="targetNotion" label={t('relations.notion')} help={t('relations.notionHelp')} />
        </fieldset>
      </div>
      <div className="row top-row">
        <Choice
          name="cascadingDeleteFlag"
          label={t('relations.cascade')}
          asNumber
          options={[
            ['0', t('relations.cascade0')],
            ['1', t('relations.cascade1')],
            ['2', t('relations.cascade2')],
            ['3', t('relations.cascade3')],
            ['4', t('relations.cascade4')],
          ]}
        />
        <Choice
          name="autocreationFlag"
          label={t('relations.autocreate')}
          asNumber
          options={[
            ['0', t('relations.autocreate0')],
            ['1', t('relations.autocreate1')],
            ['2', t('relations.autocreate2')],
            ['3', t('relations.autocreate3')],
          ]}
        />
      </div>
      <fieldset className="group">
        <legend>{t('relations.rights')}</legend>
        <Choice
          name="permissionPropagation"
          label={t('relations.propagation')}
          options={[
            ['None', t('relations.propagationNone')],
            ['Out', t('relations.propagationOut')],
            ['In', t('relations.propagationIn')],
            ['Both', t('relations.propagationBoth')],
          ]}
        />
        {draft.values['permissionPropagation'] === 'None' ? null : (
          <div className="row top-row">
            {(['read', 'write', 'delete', 'accessControl'] as const).map((right) => (
              <Choice
                key={right}
                name={`${right}Propagation`}
                label={t(`grants.${right}`)}
                options={[
                  ['Add', t('relations.add')],
                  ['Keep', t('relations.keep')],
                  ['Remove', t('relations.remove')],
                ]}
              />
            ))}
          </div>
        )}
      </fieldset>
      <OpenApiFields />
    </>
  );
}
