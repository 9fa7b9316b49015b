/** The form of a property. */
import type { ReactNode } from 'react';
import type { Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { memberTexts } from '../../texts/schema-members.js';
import type { Values } from '../form/draft.js';
import { Choice, TextInput, Tick, useForm, type Option } from '../form/fields.js';
import { ObjectWindow } from '../form/object-form.js';
import { ownedBy, text, type Owner } from '../model.js';
import { FormatFields } from './format-fields.js';
import { KINDS, kindOf, splitParts } from './kinds.js';

const TEXTS = ['name', 'propertyType', 'dbName', 'format', 'defaultValue', 'hint', 'category', 'typeHint'] as const;
const SCRIPTS = ['readFunction', 'writeFunction'] as const;
const FLAGS = [
  ...(['notNull', 'unique', 'compound', 'indexed', 'fulltext', 'readOnly'] as const),
  ...(['isSerializationDisabled', 'isCachingEnabled', 'readFunctionWrapJS', 'writeFunctionWrapJS'] as const),
];

const ids = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map((one: Entity) => one.id).sort() : [];

const valuesOf = (entity: Entity): Values => ({
  ...Object.fromEntries([...TEXTS, ...SCRIPTS].map((name) => [name, entity[name] ?? ''])),
  ...Object.fromEntries(FLAGS.map((name) => [name, entity[name] === true])),
  schemaViews: ids(entity['schemaViews']),
  excludedViews: ids(entity['excludedViews']),
});

const NEW: Values = {
  ...Object.fromEntries([...TEXTS, ...SCRIPTS].map((name) => [name, ''])),
  ...Object.fromEntries(FLAGS.map((name) => [name, name.endsWith('WrapJS')])),
  propertyType: 'String',
  schemaViews: [],
  excludedViews: [],
};

/** A text without content means that there is none. */
const inputOf = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === '' ? null : value]));

export function PropertyForm(props: {
  readonly owner: Owner;
  /** Absent: a new one. */
  readonly property: Entity | undefined;
  /** The views of the type that somebody has defined. */
  readonly views: readonly Entity[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const { owner, property, views, onDone, onClose } = props;
  const { t } = useAreaTexts(memberTexts);
  return (
    <ObjectWindow
      title={
        property === undefined ? t('properties.new', { type: owner.name }) : `${owner.name}.${property.name ?? ''}`
      }
      collection="SchemaProperty"
      id={property?.id}
      initial={property === undefined ? NEW : valuesOf(property)}
      valuesOf={valuesOf}
      inputOf={(values) => ({ ...inputOf(values), ...(property === undefined ? ownedBy(owner) : {}) })}
      onDone={onDone}
      deleteQuestion={t('properties.deleteQuestion', { name: property?.name ?? '' })}
      onDeleted={onDone}
      onClose={onClose}
    >
      {(values) => <Fields values={values} owner={owner} views={views} />}
    </ObjectWindow>
  );
}

function Fields({
  values,
  owner,
  views,
}: {
  readonly values: Values;
  readonly owner: Owner;
  readonly views: readonly Entity[];
}): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const { draft } = useForm();
  const kind = kindOf(values['propertyType']);
  return (
    <>
      <div className="row top-row">
        <TextInput name="name" label={t('properties.name')} />
        <Choice
          name="propertyType"
          label={t('properties.type')}
          options={Object.keys(KINDS)}
          onChosen={(next) => {
            // What the other type means by its format is nothing to this one.
            if (kindOf(next).format !== kind.format) draft.set('format', '');
          }}
        />
      </div>
      <FormatFields key={String(values['propertyType'])} owner={owner.name} />
      {kind.hasDefault ? <DefaultValue values={values} /> : null}
      <fieldset className="group">
        <legend>{t('properties.rules')}</legend>
        <div className="ticks">
          <Tick name="notNull" label={t('properties.notNull')} />
          {kind.isStored ? (
            <>
              <Tick name="unique" label={t('properties.unique')} />
              <Tick name="compound" label={t('properties.compound')} help={t('properties.compoundHelp')} />
              <Tick name="indexed" label={t('properties.indexed')} />
            </>
          ) : null}
          {kind.hasFulltext === true ? <Tick name="fulltext" label={t('properties.fulltext')} /> : null}
          <Tick name="readOnly" label={t('properties.readOnly')} />
          <Tick name="isSerializationDisabled" label={t('properties.hidden')} help={t('properties.hiddenHelp')} />
        </div>
      </fieldset>
      {views.length === 0 ? null : (
        <>
          <Views name="schemaViews" label={t('properties.views')} views={views} />
          <Views name="excludedViews" label={t('properties.excluded')} views={views} />
        </>
      )}
      <fieldset className="group">
        <legend>{t('properties.more')}</legend>
        <div className="row top-row">
          <TextInput name="hint" label={t('properties.hint')} />
          <TextInput name="category" label={t('properties.category')} />
          <TextInput name="dbName" label={t('properties.dbName')} help={t('properties.dbNameHelp')} />
        </div>
      </fieldset>
    </>
  );
}

function DefaultValue({ values }: { readonly values: Values }): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const label = t('properties.defaultValue');
  const none: Option = ['', t('properties.noDefault')];
  switch (values['propertyType']) {
    case 'Boolean':
      return <Choice name="defaultValue" label={label} options={[none, 'true', 'false']} />;
    case 'Enum': {
      const members = splitParts(text(values['format']).replaceAll(/\s+/g, ',')).filter((one) => one !== '');
      const kept = text(values['defaultValue']);
      return (
        <Choice
          name="defaultValue"
          label={label}
          options={[none, ...new Set([...members, ...(kept === '' ? [] : [kept])])]}
        />
      );
    }
    default:
      return <TextInput name="defaultValue" label={label} />;
  }
}

function Views({
  name,
  label,
  views,
}: {
  readonly name: string;
  readonly label: string;
  readonly views: readonly Entity[];
}): ReactNode {
  const { draft } = useForm();
  const chosen = draft.values[name] as readonly string[];
  return (
    <fieldset className="group">
      <legend>{label}</legend>
      <div className="ticks">
        {views.map(({ id, name: view }) => (
          <label key={id} className="choice">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={(event) => {
                const others = chosen.filter((one) => one !== id);
                draft.set(name, (event.target.checked ? [...others, id] : others).sort());
              }}
            />
            {view}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
