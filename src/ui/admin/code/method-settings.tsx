/** How a method is called: its name, HTTP verb, flags and parameters, beside its source (docs/interface/schema.md 12). */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice, TextField, Tick } from '../../common/parts.js';
import { RefusedError } from '../../common/request.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { change, list, readState, type Entity } from '../server/rest.js';
import { onlyOver, saveOver } from '../server/save-over.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { codeTexts } from '../texts/code.js';
import { nameOf } from './kinds.js';

const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const FLAGS = ['isStatic', 'isPrivate', 'returnRawResult', 'wrapJsInMain'] as const;

interface Parameter {
  readonly id?: string;
  readonly name: string;
  readonly parameterType: string;
}

interface Settings {
  readonly name: string;
  readonly httpVerb: string;
  readonly flags: Readonly<Record<(typeof FLAGS)[number], boolean>>;
  readonly parameters: readonly Parameter[];
}

interface Seen {
  /** Undefined: the method is gone. */
  readonly settings: Settings | undefined;
  /** Tag of the state of the method (rest.md 4.6). */
  readonly state?: string | undefined;
}

async function readSettings(id: string): Promise<Seen> {
  try {
    const [{ entity, state }, { result }] = await Promise.all([
      readState(`SchemaMethod/${id}/all`, {}, { properties: ['id', 'name', 'httpVerb', ...FLAGS] }),
      list(`SchemaMethod/${id}/parameters`, {}, { properties: ['id', 'name', 'parameterType', 'index'] }),
    ]);
    return { settings: settingsOf(entity, result), state };
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return { settings: undefined };
    throw error;
  }
}

function settingsOf(method: Entity, parameters: readonly Entity[]): Settings {
  const flag = (name: (typeof FLAGS)[number]): boolean =>
    name === 'wrapJsInMain' ? method[name] !== false : method[name] === true;
  return {
    name: method.name ?? '',
    httpVerb: nameOf(method['httpVerb']) || 'POST',
    flags: {
      isStatic: flag('isStatic'),
      isPrivate: flag('isPrivate'),
      returnRawResult: flag('returnRawResult'),
      wrapJsInMain: flag('wrapJsInMain'),
    },
    parameters: [...parameters]
      .sort((a, b) => Number(a['index'] ?? 0) - Number(b['index'] ?? 0))
      .map((one) => ({ id: one.id, name: nameOf(one), parameterType: nameOf(one['parameterType']) })),
  };
}

const same = (a: Settings | undefined, b: Settings | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

/** `onSaved`: what is shown of the method elsewhere is to be read again. */
export function MethodSettings({
  object,
  isFunction,
  onSaved,
}: {
  readonly object: Entity;
  readonly isFunction: boolean;
  readonly onSaved: () => void;
}): ReactNode {
  const { t } = useAreaTexts(codeTexts);
  const { id } = object;
  const [known, setKnown] = useState<Seen>({ settings: undefined });
  const [shown, setShown] = useState<Settings>();
  const [told, setTold] = useState<'saved' | 'meanwhile' | 'gone'>();
  const { busy, problem, run } = useWork();
  useEffect(() => {
    void run(async () => {
      const found = await readSettings(id);
      setKnown(found);
      setShown(found.settings);
    });
  }, [id]);
  if (shown === undefined) return <Trouble problem={problem} />;
  const set = (part: Partial<Settings>): void => {
    setShown({ ...shown, ...part });
    setTold(undefined);
  };
  const setParameter = (at: number, part: Partial<Parameter>): void => {
    set({ parameters: shown.parameters.map((one, i) => (i === at ? { ...one, ...part } : one)) });
  };
  const save = async (): Promise<void> => {
    const { name, httpVerb, flags, parameters } = shown;
    const input = { name, httpVerb, ...flags, parameters: parameters.map((one, index) => ({ ...one, index })) };
    const { met, seen } = await saveOver<Seen, 'settings'>(known, {
      look: () => readSettings(id),
      met: (now, before) => (same(now.settings, before.settings) ? [] : ['settings']),
      write: ({ state }) => change(`SchemaMethod/${id}`, input, onlyOver(state)),
      // Parameters are links.
      looksFirst: true,
    });
    if (met.length > 0) {
      setKnown(seen);
      setTold(seen.settings === undefined ? 'gone' : 'meanwhile');
      return;
    }
    const saved = await readSettings(id);
    setKnown(saved);
    setShown(saved.settings);
    setTold('saved');
    onSaved();
  };
  const atName = problem?.problems.find(({ property }) => property === 'name');
  return (
    <details className="card method-settings">
      <summary>{t('code.settings')}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <Trouble problem={problem} />
        {told === undefined ? null : (
          <Notice kind={told === 'saved' ? 'good' : 'note'}>{t(`code.settings.${told}`)}</Notice>
        )}
        <div className="row top-row">
          <TextField
            label={t('code.name')}
            value={shown.name}
            problem={atName === undefined ? undefined : (atName.token ?? '').replaceAll('_', ' ')}
            onChange={(name) => {
              set({ name });
            }}
          />
          <div className="field">
            <label htmlFor="method-verb">{t('code.verb')}</label>
            <select
              id="method-verb"
              value={shown.httpVerb}
              disabled={shown.flags.isPrivate}
              onChange={(event) => {
                set({ httpVerb: event.target.value });
              }}
            >
              {VERBS.map((verb) => (
                <option key={verb}>{verb}</option>
              ))}
            </select>
          </div>
        </div>
        <div className="ticks">
          {FLAGS.filter((name) => !isFunction || name !== 'isStatic').map((name) => (
            <Tick
              key={name}
              label={t(`code.flag.${name}`)}
              checked={shown.flags[name]}
              onChange={(checked) => {
                set({ flags: { ...shown.flags, [name]: checked } });
              }}
            />
          ))}
        </div>
        <h3>{t('code.parameters')}</h3>
        {shown.parameters.map((one, at) => (
          // The place of a parameter is what it is until it has a name.
          <div key={at} className="row" role="group" aria-label={t('code.parameterN', { n: at + 1 })}>
            <TextField
              label={t('code.name')}
              value={one.name}
              onChange={(name) => {
                setParameter(at, { name });
              }}
            />
            <TextField
              label={t('code.parameterType')}
              value={one.parameterType}
              onChange={(parameterType) => {
                setParameter(at, { parameterType });
              }}
            />
            <Button
              aria-label={t('code.withoutParameter', { n: at + 1 })}
              onClick={() => {
                set({ parameters: shown.parameters.filter((_, i) => i !== at) });
              }}
            >
              ×
            </Button>
          </div>
        ))}
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || same(shown, known.settings)}>
            {t('code.settings.save')}
          </Button>
          <Button
            onClick={() => {
              set({ parameters: [...shown.parameters, { name: '', parameterType: 'String' }] });
            }}
          >
            {t('code.addParameter')}
          </Button>
        </div>
      </form>
    </details>
  );
}
