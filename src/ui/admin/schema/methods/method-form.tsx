/** The form of a method, with its source and its parameters. */
import type { ReactNode } from 'react';
import { Button, Notice } from '../../../common/parts.js';
import type { Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { memberTexts } from '../../texts/schema-members.js';
import type { Values } from '../form/draft.js';
import { Choice, CodeInput, TextInput, Tick, useForm } from '../form/fields.js';
import { ObjectWindow } from '../form/object-form.js';
import { OpenApiFields, openApiInput, openApiValues } from '../form/open-api.js';
import { ownedBy, type Owner } from '../model.js';

interface Parameter {
  readonly id?: string;
  readonly name: string;
  readonly parameterType: string;
  readonly description: string;
  readonly exampleValue: string;
}

const KNOWN_TYPES = ['string', 'int', 'long', 'double', 'boolean', 'Date', 'Map', 'List', 'Object'];
/** Methods that the service calls itself begin so; they are private (docs/interface/schema.md 12.1). */
const LIFECYCLE =
  /^(on(NodeCreation|Create|Creation|Save|Modification|Delete)|after(Create|Creation|Save|Modification|Delete))/;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const parametersOf = (value: unknown): readonly Parameter[] =>
  (Array.isArray(value) ? (value as readonly Entity[]) : [])
    .slice()
    .sort((a, b) => Number(a['index'] ?? 0) - Number(b['index'] ?? 0))
    .map((one) => ({
      id: one.id,
      name: textOf(one.name),
      parameterType: textOf(one['parameterType']),
      description: textOf(one['description']),
      exampleValue: textOf(one['exampleValue']),
    }));

const valuesOf = (method: Entity): Values => ({
  name: method.name ?? '',
  source: method['source'] ?? '',
  httpVerb: method['httpVerb'] ?? 'POST',
  isStatic: method['isStatic'] === true,
  isPrivate: method['isPrivate'] === true,
  returnRawResult: method['returnRawResult'] === true,
  wrapJsInMain: method['wrapJsInMain'] !== false,
  openAPIReturnType: method['openAPIReturnType'] ?? '',
  parameters: parametersOf(method['parameters']),
  ...openApiValues(method),
});

const NEW: Values = {
  name: '',
  source: '{\n  return $.this.name;\n}',
  httpVerb: 'POST',
  isStatic: false,
  isPrivate: false,
  returnRawResult: false,
  wrapJsInMain: true,
  openAPIReturnType: '',
  parameters: [],
  includeInOpenAPI: false,
  tags: [],
  summary: '',
  description: '',
};

const inputOf = (values: Values): Values => {
  const parameters = values['parameters'] as readonly Parameter[] | undefined;
  return {
    ...openApiInput(values),
    ...(parameters === undefined ? {} : { parameters: parameters.map((one, index) => ({ ...one, index })) }),
  };
};

export function MethodForm({
  owner,
  method,
  onDone,
  onClose,
}: {
  readonly owner: Owner;
  readonly method: Entity | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  return (
    <ObjectWindow
      title={method === undefined ? t('methods.new', { type: owner.name }) : `${owner.name}.${method.name ?? ''}()`}
      collection="SchemaMethod"
      id={method?.id}
      initial={method === undefined ? NEW : valuesOf(method)}
      valuesOf={valuesOf}
      inputOf={(values) => ({ ...inputOf(values), ...(method === undefined ? ownedBy(owner) : {}) })}
      onDone={onDone}
      deleteQuestion={t('methods.deleteQuestion', { name: method?.name ?? '' })}
      onDeleted={onDone}
      onClose={onClose}
    >
      {(values) => (
        <>
          <div className="row top-row">
            <TextInput name="name" label={t('properties.name')} />
            <Choice
              name="httpVerb"
              label={t('methods.verb')}
              options={['GET', 'POST', 'PUT', 'PATCH', 'DELETE']}
              disabled={values['isPrivate'] === true}
            />
          </div>
          {LIFECYCLE.test(textOf(values['name'])) ? <Notice kind="note">{t('methods.lifecycle')}</Notice> : null}
          <CodeInput name="source" label={t('methods.source')} help={t('methods.sourceHelp')} />
          <div className="ticks">
            <Tick name="isStatic" label={t('methods.static')} help={t('methods.staticHelp')} />
            <Tick name="isPrivate" label={t('methods.private')} help={t('methods.privateHelp')} />
            <Tick name="returnRawResult" label={t('methods.raw')} />
            <Tick name="wrapJsInMain" label={t('methods.wrap')} />
          </div>
          <Parameters />
          <OpenApiFields>
            <TextInput name="openAPIReturnType" label={t('methods.returnType')} rows={2} />
          </OpenApiFields>
        </>
      )}
    </ObjectWindow>
  );
}

function Parameters(): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const { draft } = useForm();
  const parameters = draft.values['parameters'] as readonly Parameter[];
  const set = (next: readonly Parameter[]): void => {
    draft.set('parameters', next);
  };
  const field = (
    at: number,
    name: 'name' | 'parameterType' | 'description' | 'exampleValue',
    label: string,
  ): ReactNode => (
    <label className="field">
      <span className="label">{label}</span>
      <input
        value={parameters[at]?.[name] ?? ''}
        spellCheck={false}
        list={name === 'parameterType' ? 'parameter-types' : undefined}
        onChange={(event) => {
          set(parameters.map((one, i) => (i === at ? { ...one, [name]: event.target.value } : one)));
        }}
      />
    </label>
  );
  return (
    <fieldset className="group">
      <legend>{t('methods.parameters')}</legend>
      <p className="soft">{t('methods.parametersHelp')}</p>
      <datalist id="parameter-types">
        {KNOWN_TYPES.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {parameters.map((_, at) => (
        // The place of a parameter is what it is until it has a name.
        <div key={at} className="row parameter" role="group" aria-label={t('methods.parameter', { n: at + 1 })}>
          {field(at, 'name', t('properties.name'))}
          {field(at, 'parameterType', t('properties.type'))}
          {field(at, 'description', t('openApi.description'))}
          {field(at, 'exampleValue', t('methods.example'))}
          <Button
            aria-label={t('methods.withoutParameter', { n: at + 1 })}
            onClick={() => {
              set(parameters.filter((__, i) => i !== at));
            }}
          >
            ×
          </Button>
        </div>
      ))}
      <Button
        onClick={() => {
          set([...parameters, { name: '', parameterType: 'string', description: '', exampleValue: '' }]);
        }}
      >
        {t('methods.addParameter')}
      </Button>
    </fieldset>
  );
}
