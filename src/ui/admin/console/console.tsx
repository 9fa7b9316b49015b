/** Lines that are run at once, in any language (docs/interface/admin-ui.md, Console). */
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Button, Empty } from '../../common/parts.js';
import { useSession } from '../frame/session-context.js';
import { FunctionDoc, useFunctionAt } from '../parts/function-doc.js';
import { problemsOf } from '../parts/outcome-view.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { consoleTexts } from '../texts/console.js';
import './console.css';
import { History } from './history.js';
import { Input } from './input.js';
import { isMode, MODES, type Mode } from './modes.js';
import { runAny, wentWell } from './run.js';
import { RunCard, type Run } from './run-card.js';
import { isSecret } from './shell.js';

const LAST = 'svc.console.mode';
/** Results that are kept on the page. */
const KEPT = 50;
const SCRIPTS: ReadonlySet<Mode> = new Set(['expression', 'javascript']);

function firstMode(isAdmin: boolean): Mode {
  const kept = sessionStorage.getItem(LAST);
  if (isMode(kept)) return kept;
  // Everything else is for administrators.
  return isAdmin ? 'expression' : 'rest';
}

export default function Console(): ReactNode {
  const { t } = useAreaTexts(consoleTexts);
  const { user } = useSession();
  const [mode, setMode] = useState(() => firstMode(user.isAdmin));
  const [line, setLine] = useState('');
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const history = useMemo(() => new History(user.id), [user.id]);
  const { found, look } = useFunctionAt();
  const count = useRef(0);
  const waiting = useRef<AbortController>(undefined);
  useEffect(() => {
    sessionStorage.setItem(LAST, mode);
  }, [mode]);
  useEffect(
    () => () => {
      waiting.current?.abort();
    },
    [],
  );
  const [newest] = runs;
  const busy = newest !== undefined && newest.came === undefined;
  const run = async (text: string): Promise<void> => {
    if (text.trim() === '' || waiting.current !== undefined) return;
    const controller = new AbortController();
    waiting.current = controller;
    const one: Run = { n: ++count.current, mode, line: text };
    const update = (more: Partial<Run>): void => {
      setRuns((before) => before.map((other) => (other.n === one.n ? { ...other, ...more } : other)));
    };
    if (mode !== 'shell' || !isSecret(text)) history.add({ mode, line: text });
    setRuns((before) => [one, ...before].slice(0, KEPT));
    const came = await runAny(mode, text, controller.signal, (job) => {
      update({ job });
    });
    waiting.current = undefined;
    update({ came });
    // What has to be mended stays; what was typed meanwhile, too.
    if (wentWell(came)) setLine((now) => (now === text ? '' : now));
  };
  const fault = newest?.came?.kind === 'script' && newest.line === line ? newest.came.outcome.error : undefined;
  const problems = useMemo(() => problemsOf(fault, (name) => name === 'console'), [fault]);
  return (
    <>
      <h1>{t('console.title')}</h1>
      <div className="console">
        <section className="card">
          <ModeChoice mode={mode} onMode={setMode} />
          {user.isAdmin ? null : <p className="soft">{t('console.forAdmins')}</p>}
          <p className="soft">{t(MODES.find(({ name }) => name === mode)?.hint ?? 'console.title')}</p>
          <Input
            mode={mode}
            line={line}
            problems={problems}
            history={history}
            onLine={setLine}
            onMode={setMode}
            onRun={(text) => {
              void run(text);
            }}
            onCursor={look}
          />
          <div className="row console-go">
            <Button
              kind="main"
              disabled={busy || line.trim() === ''}
              onClick={() => {
                void run(line);
              }}
            >
              {t('console.run')}
            </Button>
            {busy ? (
              <Button
                onClick={() => {
                  waiting.current?.abort();
                }}
              >
                {t('console.stop')}
              </Button>
            ) : null}
            <p className="soft grow">{t('console.keys')}</p>
            <Button
              onClick={() => {
                history.clear();
              }}
            >
              {t('console.forget')}
            </Button>
          </div>
          {SCRIPTS.has(mode) ? <FunctionDoc found={found} /> : null}
        </section>
        <section aria-label={t('console.results')}>
          {runs.length === 0 ? (
            <Empty>{t('console.none')}</Empty>
          ) : (
            <>
              <div className="row console-head">
                <h2 className="grow">{t('console.results')}</h2>
                <Button
                  onClick={() => {
                    setRuns((before) => before.filter(({ came }) => came === undefined));
                  }}
                >
                  {t('console.clear')}
                </Button>
              </div>
              <ol className="runs">
                {runs.map((one) => (
                  <RunCard
                    key={one.n}
                    run={one}
                    onUse={(old) => {
                      setMode(old.mode);
                      setLine(old.line);
                    }}
                  />
                ))}
              </ol>
            </>
          )}
        </section>
      </div>
    </>
  );
}

function ModeChoice({ mode, onMode }: { readonly mode: Mode; readonly onMode: (mode: Mode) => void }): ReactNode {
  const { t } = useAreaTexts(consoleTexts);
  return (
    <div className="modes" role="radiogroup" aria-label={t('console.mode')}>
      {MODES.map(({ name, title }) => (
        <label key={name} className="mode">
          <input
            type="radio"
            name="console-mode"
            checked={name === mode}
            onChange={() => {
              onMode(name);
            }}
          />
          <span>{t(title)}</span>
        </label>
      ))}
    </div>
  );
}
