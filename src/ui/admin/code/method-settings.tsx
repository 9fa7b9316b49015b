/** How a method is called: its name, HTTP verb, flags and parameters, beside its source (docs/interface/schema.md 12). */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button, Notice, TextField, Tick } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { OthersChanged } from '../parts/others-changed.js';
import type { Entity } from '../server/rest.js';
import { editedOf } from '../server/rebase.js';
import type { Met } from '../server/save-over.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { codeTexts } from '../texts/code.js';
import { FLAGS, readSettings, saveSettings, typedOver, type Parameter, type Seen, type Settings } from './settings.js';

const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The form of how a method is called, closed at first. What somebody else has changed meanwhile stays where it was not edited here, else it is told
 * before it is replaced. `onSaved`: what is shown of the method elsewhere is to be read again.
 */
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
  const [told, setTold] = useState<'saved' | 'gone'>();
  const [met, setMet] = useState<readonly Met[]>([]);
  const latest = useRef(shown);
  const show = (next: Settings | undefined): void => {
    latest.current = next;
    setShown(next);
  };
  const { busy, problem, run } = useWork();
  useEffect(() => {
    void run(async () => {
      const found = await readSettings(id);
      setKnown(found);
      show(found.settings);
    });
  }, [id]);
  if (shown === undefined) return <Trouble problem={problem} />;
  const set = (part: Partial<Settings>): void => {
    show({ ...(latest.current ?? shown), ...part });
    setTold(undefined);
  };
  const setParameter = (at: number, part: Partial<Parameter>): void => {
    set({ parameters: shown.parameters.map((one, i) => (i === at ? { ...one, ...part } : one)) });
  };
  const save = async (): Promise<void> => {
    const { met: found, now } = await saveSettings(id, known, shown);
    setMet(now.settings === undefined ? [] : found);
    if (now.settings === undefined) {
      setTold('gone');
      return;
    }
    // What was not sent yet stays: all that is edited, or what was typed while it was saved.
    const before = found.length > 0 ? (known.settings ?? shown) : shown;
    setKnown(now);
    show(typedOver(now.settings, before, latest.current ?? shown));
    if (found.length > 0) return;
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
        <OthersChanged
          met={met}
          titleOf={(key) => {
            const flag = FLAGS.find((one) => one === key);
            if (flag !== undefined) return t(`code.flag.${flag}`);
            return t(key === 'httpVerb' ? 'code.verb' : key === 'parameters' ? 'code.parameters' : 'code.name');
          }}
        />
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
              disabled={shown.isPrivate}
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
              checked={shown[name]}
              onChange={(checked) => {
                set({ [name]: checked });
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
          <Button
            type="submit"
            kind="main"
            disabled={busy || (known.settings !== undefined && editedOf(shown, known.settings).length === 0)}
          >
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
