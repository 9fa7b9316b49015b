/** Snapshots of the schema on the server (docs/interface/deployment.md 6.1). */
import { type ReactNode, useState } from 'react';
import { Button, Confirm, Notice } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { call } from '../../server/rest.js';
import { useFormats } from '../../texts/index.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';
import { Differences, type Outcome } from './differences.js';
import { download } from './download.js';

interface Snapshot {
  readonly name: string;
  readonly size: number;
  readonly created: string;
}

const command = <T,>(input: Readonly<Record<string, unknown>>): Promise<readonly T[]> =>
  call<readonly T[]>('maintenance/schemaSnapshot', input).then((result) => result ?? []);

/** What is asked before it is done. */
interface Asked {
  readonly name: string;
  readonly mode: 'restore' | 'purge';
  readonly outcome?: Outcome;
}

export function Snapshots({ onRestored }: { readonly onRestored: () => void }): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const { time, bytes } = useFormats();
  const { value: snapshots, again, problem } = useLoaded(() => command<Snapshot>({ mode: 'list' }));
  const work = useWork();
  const [name, setName] = useState('');
  const [asked, setAsked] = useState<Asked>();
  const [done, setDone] = useState<string>();
  const start = (what: () => Promise<void>): void => {
    setDone(undefined);
    void work.run(what);
  };
  const list = [...(snapshots ?? [])].sort((a, b) => b.created.localeCompare(a.created));
  return (
    <section className="card">
      <h2>{t('snapshots.title')}</h2>
      <p className="soft">{t('snapshots.help')}</p>
      <form
        className="row add-row"
        onSubmit={(event) => {
          event.preventDefault();
          start(async () => {
            const [made] = await command<Snapshot>({ mode: 'save', ...(name === '' ? {} : { name }) });
            setName('');
            setDone(t('snapshots.made', { name: made?.name ?? name }));
            again();
          });
        }}
      >
        <div className="field">
          <label htmlFor="snapshot-name">{t('snapshots.name')}</label>
          <input
            id="snapshot-name"
            value={name}
            spellCheck={false}
            autoComplete="off"
            placeholder={t('snapshots.nameHelp')}
            onChange={(event) => {
              setName(event.target.value);
            }}
          />
        </div>
        <Button type="submit" kind="main" disabled={work.busy}>
          {t('snapshots.make')}
        </Button>
      </form>
      <Trouble problem={work.problem ?? problem} />
      {done === undefined ? null : <Notice kind="good">{done}</Notice>}
      {asked === undefined ? null : (
        <>
          {asked.outcome === undefined ? null : <Differences outcome={asked.outcome} />}
          <Confirm
            question={t(asked.mode === 'restore' ? 'snapshots.restoreQuestion' : 'snapshots.deleteQuestion', {
              name: asked.name,
            })}
            yes={t(asked.mode === 'restore' ? 'snapshots.restore' : 'app.delete')}
            no={t('app.cancel')}
            disabled={work.busy}
            onYes={() => {
              start(async () => {
                await command({ mode: asked.mode, name: asked.name });
                setAsked(undefined);
                again();
                if (asked.mode === 'restore') {
                  setDone(t('snapshots.restored', { name: asked.name }));
                  onRestored();
                }
              });
            }}
            onNo={() => {
              setAsked(undefined);
            }}
          />
        </>
      )}
      {snapshots === undefined ? null : list.length === 0 ? (
        <p className="soft">{t('snapshots.none')}</p>
      ) : (
        <table className="schema-table framed">
          <thead>
            <tr>
              <th scope="col">{t('snapshots.name')}</th>
              <th scope="col">{t('snapshots.created')}</th>
              <th scope="col">{t('snapshots.size')}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {list.map((snapshot) => (
              <tr key={snapshot.name}>
                <th scope="row" className="long">
                  {snapshot.name}
                </th>
                <td>{time(snapshot.created)}</td>
                <td>{bytes(snapshot.size)}</td>
                <td className="actions">
                  <Button
                    disabled={work.busy}
                    aria-label={`${t('snapshots.restore')}: ${snapshot.name}`}
                    onClick={() => {
                      start(async () => {
                        const [outcome] = await command<Outcome>({
                          mode: 'restore',
                          name: snapshot.name,
                          dryRun: true,
                        });
                        setAsked({
                          name: snapshot.name,
                          mode: 'restore',
                          ...(outcome === undefined ? {} : { outcome }),
                        });
                      });
                    }}
                  >
                    {t('snapshots.restore')}
                  </Button>
                  <Button
                    disabled={work.busy}
                    aria-label={`${t('snapshots.download')}: ${snapshot.name}`}
                    onClick={() => {
                      start(async () => {
                        const [got] = await command<{ readonly schema: string }>({ mode: 'get', name: snapshot.name });
                        if (got !== undefined) download(`${snapshot.name}.json`, got.schema);
                      });
                    }}
                  >
                    {t('snapshots.download')}
                  </Button>
                  <Button
                    disabled={work.busy}
                    aria-label={`${t('app.delete')}: ${snapshot.name}`}
                    onClick={() => {
                      setAsked({ name: snapshot.name, mode: 'purge' });
                    }}
                  >
                    {t('app.delete')}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
