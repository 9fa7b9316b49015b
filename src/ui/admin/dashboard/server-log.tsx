/** The log of the server as it grows (docs/interface/monitoring.md 6). */
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Button, TextField } from '../../common/parts.js';
import { read, restPath } from '../server/rest.js';
import { useTexts } from '../texts/index.js';

const LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
/** Lines that are kept here. */
const KEPT = 2_000;
const SHOWN = 300;
const FIRST = 200;

/** 0 to 3; a line that goes on from the one before has none. */
function levelOf(line: string): number | undefined {
  const word = /^\S+ +(DEBUG|INFO|WARN|ERROR)\b/.exec(line)?.[1];
  return word === undefined ? undefined : LEVELS.indexOf(word as (typeof LEVELS)[number]);
}

interface Line {
  readonly n: number;
  readonly text: string;
  readonly level: number;
}

export function ServerLog(): ReactNode {
  const { t } = useTexts();
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [least, setLeast] = useState(1);
  const [text, setText] = useState('');
  const [held, setHeld] = useState(false);
  const [lost, setLost] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (held) return;
    let count = 0;
    let level = 1;
    const add = (texts: readonly string[]): void => {
      const more = texts.map((one) => {
        level = levelOf(one) ?? level;
        return { n: count++, text: one, level };
      });
      setLines((before) => [...before, ...more].slice(-KEPT));
    };
    setLines([]);
    const stream = new EventSource(restPath('_serverLog'));
    let open = false;
    stream.onopen = () => {
      setLost(false);
      if (open) return;
      open = true;
      void read<{ readonly lines: readonly string[] }>('_serverLog', { lines: FIRST }).then(
        ({ lines: first }) => {
          add(first);
        },
        () => {
          setLost(true);
        },
      );
    };
    stream.onerror = () => {
      setLost(true);
    };
    stream.addEventListener('log', (event: MessageEvent<string>) => {
      add(event.data.split('\n'));
    });
    return () => {
      stream.close();
    };
  }, [held]);
  const shown = useMemo(() => {
    const wanted = text.toLowerCase();
    return lines
      .filter((line) => line.level >= least && (wanted === '' || line.text.toLowerCase().includes(wanted)))
      .slice(-SHOWN);
  }, [lines, least, text]);
  useEffect(() => {
    const element = box.current;
    if (element !== null && !held) element.scrollTop = element.scrollHeight;
  }, [shown, held]);
  return (
    <section className="card">
      <div className="row">
        <h2 className="grow">{t('log.title')}</h2>
        <div className="field">
          <label htmlFor="log-level">{t('log.level')}</label>
          <select
            id="log-level"
            value={least}
            onChange={(event) => {
              setLeast(Number(event.target.value));
            }}
          >
            {LEVELS.map((name, i) => (
              <option key={name} value={i}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <TextField label={t('log.filter')} value={text} onChange={setText} />
        <Button
          onClick={() => {
            setHeld(!held);
          }}
        >
          {t(held ? 'log.resume' : 'log.pause')}
        </Button>
      </div>
      {lost ? <p className="notice note">{t('log.lost')}</p> : null}
      <div className="log" ref={box} tabIndex={0} role="log" aria-label={t('log.title')} aria-live="off">
        {shown.length === 0 ? <p className="soft">{t('log.empty')}</p> : null}
        {shown.map((line) => (
          <div key={line.n} className={`line ${LEVELS[line.level]?.toLowerCase() ?? ''}`}>
            {line.text}
          </div>
        ))}
      </div>
    </section>
  );
}
