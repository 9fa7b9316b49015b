/** Runs a method with parameters, and shows what comes of it. */
import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../../common/parts.js';
import { useLoaded, useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import type { CodeProblem } from '../parts/code-editor.js';
import { ObjectPicker, type Picked } from '../parts/object-picker.js';
import { OutcomeView, problemsOf } from '../parts/outcome-view.js';
import { runMethod, type Outcome } from '../server/console.js';
import { list, type Entity } from '../server/rest.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { codeTexts } from '../texts/code.js';
import { nameOf } from './kinds.js';

interface Parameter {
  readonly name: string;
  readonly type: string;
}

async function loadParameters(method: string): Promise<readonly Parameter[]> {
  const path = `SchemaMethod/${method}/parameters`;
  const { result } = await list(path, {}, { properties: ['id', 'name', 'parameterType', 'index'] });
  return [...result]
    .sort((a, b) => Number(a['index'] ?? 0) - Number(b['index'] ?? 0))
    .map((one) => ({ name: nameOf(one), type: nameOf(one['parameterType']) }));
}

/** What a field says: JSON where it is that, else the text itself; nothing when it is empty. */
function valueOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The arguments of a field that holds them all; undefined: it is no object of JSON. */
function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  const value = valueOf(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

export function RunMethod(props: {
  readonly object: Entity;
  /** The type; empty: it is a function. */
  readonly owner: string;
  readonly isDirty: boolean;
  readonly save: () => Promise<boolean>;
  /** The faults of the run in this source. */
  readonly onRan: (problems: readonly CodeProblem[]) => void;
}): ReactNode {
  const { object, owner, isDirty, save, onRan } = props;
  const { t } = useAreaTexts(codeTexts);
  const [picked, setPicked] = useState<Picked>();
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({});
  const [json, setJson] = useState('');
  const [outcome, setOutcome] = useState<Outcome>();
  const { busy, problem, run } = useWork();
  const { value: parameters, problem: missing } = useLoaded(() => loadParameters(object.id));
  const declared = parameters ?? [];
  const needsObject = owner !== '' && object['isStatic'] !== true;
  const args =
    declared.length === 0
      ? objectIn(json)
      : Object.fromEntries(declared.map(({ name }) => [name, valueOf(fields[name] ?? '')]));
  const ready = parameters !== undefined && args !== undefined && (!needsObject || picked !== undefined);
  const name = object.name ?? '';
  const go = async (): Promise<void> => {
    if (!ready || (isDirty && !(await save()))) return;
    await run(async () => {
      setOutcome(undefined);
      const next = await runMethod(object.id, needsObject ? picked?.id : undefined, args);
      setOutcome(next);
      // `Task[<uuid>]:close`, `Task[static]:list`, `hello`: whatever type the object is of.
      onRan(problemsOf(next.error, (title) => title === name || title.endsWith(`]:${name}`)));
    });
  };
  return (
    <section className="card run-method" aria-label={t('code.run')}>
      <h2>{t('code.run')}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        {needsObject ? (
          <div className="field">
            <span className="label">{t('code.object', { type: owner })}</span>
            <ObjectPicker type={owner} label={t('code.object', { type: owner })} picked={picked} onPick={setPicked} />
          </div>
        ) : null}
        {declared.map(({ name: parameter, type }) => (
          <TextField
            key={parameter}
            label={type === '' ? parameter : `${parameter} (${type})`}
            value={fields[parameter] ?? ''}
            onChange={(text) => {
              setFields({ ...fields, [parameter]: text });
            }}
          />
        ))}
        {parameters === undefined || declared.length > 0 ? null : (
          <div className="field">
            <label htmlFor="run-arguments">{t('code.arguments')}</label>
            <textarea
              id="run-arguments"
              rows={3}
              spellCheck={false}
              placeholder='{ "name": "Anna" }'
              value={json}
              aria-invalid={args === undefined}
              onChange={(event) => {
                setJson(event.target.value);
              }}
            />
            {args === undefined ? <p className="wrong">{t('code.noJson')}</p> : null}
          </div>
        )}
        <div className="row">
          <Button type="submit" kind="main" disabled={!ready || busy}>
            {t(isDirty ? 'code.saveAndRun' : 'code.go')}
          </Button>
          {busy ? <p role="status">{t('code.running')}</p> : null}
        </div>
      </form>
      <Trouble problem={problem ?? missing} />
      {outcome === undefined ? null : <OutcomeView outcome={outcome} label={t('code.run')} />}
    </section>
  );
}
