/** The field for `format`: another one for each kind of property (docs/interface/schema.md 5.4 to 5.7). */
import { type ReactNode, useEffect, useState } from 'react';
import { Tick } from '../../../common/parts.js';
import { loadProperties, type PropertyInfo } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { memberTexts } from '../../texts/schema-members.js';
import { Choice, TextInput, useForm } from '../form/fields.js';
import { formatOf, kindOf, rangeOf, splitParts, type Range } from './kinds.js';
import { Scripts } from './scripts.js';

const NAME = 'format';

export function FormatFields({ owner }: { readonly owner: string }): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const { draft } = useForm();
  switch (kindOf(draft.values['propertyType']).format) {
    case 'pattern':
      return <Pattern />;
    case 'range':
      return <RangeFields />;
    case 'date':
      return <TextInput name={NAME} label={t('format.date')} help={t('format.dateHelp')} />;
    case 'members':
      return <TextInput name={NAME} label={t('format.members')} help={t('format.membersHelp')} rows={3} />;
    case 'notion':
      return <Notion owner={owner} />;
    case 'relation':
      return <RelationChoice owner={owner} fits={(property) => isRelation(property)} />;
    case 'count':
      return <RelationChoice owner={owner} fits={({ isCollection }) => isCollection} />;
    case 'thumbnail':
      return <Thumbnail />;
    case 'function':
      return <Scripts />;
    case 'cypher':
      return <TextInput name={NAME} label="Cypher" help={t('format.cypherHelp')} rows={3} />;
    case 'none':
      return null;
  }
}

const useFormat = (): readonly [string, (format: string) => void] => {
  const { draft } = useForm();
  const format = draft.values[NAME];
  return [
    typeof format === 'string' ? format : '',
    (next) => {
      draft.set(NAME, next);
    },
  ];
};

function Pattern(): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const [format, set] = useFormat();
  const isLong = format === 'multi-line';
  return (
    <>
      {isLong ? null : <TextInput name={NAME} label={t('format.pattern')} help={t('format.patternHelp')} />}
      <Tick
        label={t('format.multiLine')}
        checked={isLong}
        onChange={(isOn) => {
          set(isOn ? 'multi-line' : '');
        }}
      />
    </>
  );
}

/** A text of its own beside the format that it becomes a part of. */
function Part({
  label,
  value,
  onChange,
  numeric = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly numeric?: boolean;
}): ReactNode {
  return (
    <label className="field">
      <span className="label">{label}</span>
      <input
        value={value}
        inputMode={numeric ? 'decimal' : undefined}
        spellCheck={false}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
    </label>
  );
}

function RangeFields(): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const [format, setFormat] = useFormat();
  const [range, setRange] = useState(() => rangeOf(format));
  const set = (part: Partial<Range>): void => {
    const next = { ...range, ...part };
    setRange(next);
    setFormat(formatOf(next));
  };
  const isHalf = (range.from === '') !== (range.to === '');
  return (
    <fieldset className="group">
      <legend>{t('format.range')}</legend>
      <div className="row">
        <Part
          numeric
          label={t('format.from')}
          value={range.from}
          onChange={(from) => {
            set({ from });
          }}
        />
        <Part
          numeric
          label={t('format.to')}
          value={range.to}
          onChange={(to) => {
            set({ to });
          }}
        />
      </div>
      <div className="ticks">
        <Tick
          label={t('format.withFrom')}
          checked={range.withFrom}
          onChange={(withFrom) => {
            set({ withFrom });
          }}
        />
        <Tick
          label={t('format.withTo')}
          checked={range.withTo}
          onChange={(withTo) => {
            set({ withTo });
          }}
        />
      </div>
      {isHalf ? <p className="soft">{t('format.half')}</p> : null}
    </fieldset>
  );
}

function Thumbnail(): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const [format, set] = useFormat();
  const [width = '', height = '', crop = ''] = splitParts(format);
  const put = (parts: readonly [string, string, boolean]): void => {
    const [w, h, cropped] = parts;
    set(`${w}, ${h}${cropped ? ', true' : ''}`);
  };
  return (
    <div className="row">
      <Part
        numeric
        label={t('format.width')}
        value={width}
        onChange={(next) => {
          put([next, height, crop === 'true']);
        }}
      />
      <Part
        numeric
        label={t('format.height')}
        value={height}
        onChange={(next) => {
          put([width, next, crop === 'true']);
        }}
      />
      <Tick
        label={t('format.crop')}
        checked={crop === 'true'}
        onChange={(next) => {
          put([width, height, next]);
        }}
      />
    </div>
  );
}

const isRelation = ({ relatedType }: PropertyInfo): boolean => typeof relatedType === 'string';

/** The properties of the type as they are now. */
function useProperties(type: string): readonly PropertyInfo[] {
  const [properties, set] = useState<readonly PropertyInfo[]>([]);
  useEffect(() => {
    let stale = false;
    loadProperties(type).then(
      (found) => {
        if (!stale) set(found);
      },
      () => undefined,
    );
    return () => {
      stale = true;
    };
  }, [type]);
  return properties;
}

function RelationChoice({
  owner,
  fits,
}: {
  readonly owner: string;
  readonly fits: (property: PropertyInfo) => boolean;
}): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const [format] = useFormat();
  const names = useProperties(owner)
    .filter(fits)
    .map(({ jsonName }) => jsonName);
  const options = [...new Set(['', ...names, format])];
  return <Choice name={NAME} label={t('format.relation')} help={t('format.relationHelp')} options={options} />;
}

function Notion({ owner }: { readonly owner: string }): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const [format, set] = useFormat();
  const [relation = '', ...rest] = splitParts(format);
  const creates = rest.at(-1) === 'true';
  const [typedKeys, setKeys] = useState((creates ? rest.slice(0, -1) : rest).join(', '));
  const names = useProperties(owner)
    .filter(isRelation)
    .map(({ jsonName }) => jsonName);
  const put = (next: { readonly relation?: string; readonly keys?: string; readonly creates?: boolean }): void => {
    const keys = splitParts(next.keys ?? typedKeys).filter((one) => one !== '');
    set([next.relation ?? relation, ...keys, ...((next.creates ?? creates) ? ['true'] : [])].join(', '));
  };
  return (
    <fieldset className="group">
      <legend>{t('format.notion')}</legend>
      <div className="row">
        <label className="field">
          <span className="label">{t('format.relation')}</span>
          <select
            value={relation}
            onChange={(event) => {
              put({ relation: event.target.value });
            }}
          >
            {[...new Set(['', ...names, relation])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Part
          label={t('format.keys')}
          value={typedKeys}
          onChange={(keys) => {
            setKeys(keys);
            put({ keys });
          }}
        />
      </div>
      <Tick
        label={t('format.creates')}
        checked={creates}
        onChange={(next) => {
          put({ creates: next });
        }}
      />
      <TextInput name={NAME} label={t('format.asStored')} help={t('format.notionHelp')} />
    </fieldset>
  );
}
