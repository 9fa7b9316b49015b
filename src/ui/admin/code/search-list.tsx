/** What was found in all code. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../common/parts.js';
import { asRefusal, type RefusedError } from '../../common/request.js';
import { placeOf } from '../frame/place.js';
import { Trouble } from '../frame/trouble.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { codeTexts } from '../texts/code.js';
import { keyTitle } from './code-tree.js';
import { everything, search, type Asked, type Found } from './search.js';

/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 250;

interface Result {
  readonly text: string;
  readonly found: readonly Found[];
  readonly rest: readonly Asked[];
}

export function SearchList({ text }: { readonly text: string }): ReactNode {
  const { t } = useAreaTexts(codeTexts);
  const [result, setResult] = useState<Result>();
  const [problem, setProblem] = useState<RefusedError>();
  /** How often more was asked for. */
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const aborter = new AbortController();
    const goesOn = result?.text === text && turn > 0;
    const timer = setTimeout(
      () => {
        search(text, goesOn ? result.rest : everything, aborter.signal).then(
          ({ found, rest }) => {
            setProblem(undefined);
            setResult({ text, found: goesOn ? [...result.found, ...found] : found, rest });
          },
          (error: unknown) => {
            if (!aborter.signal.aborted) setProblem(asRefusal(error));
          },
        );
      },
      goesOn ? 0 : PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [text, turn]);
  if (problem !== undefined) return <Trouble problem={problem} />;
  if (result?.text !== text) return <p className="soft">{t('code.searching')}</p>;
  return (
    <div className="found">
      <p className="soft" role="status">
        {result.found.length === 0 ? t('code.nothing') : t('code.found', { n: result.found.length })}
      </p>
      <ul>
        {result.found.map(({ piece, title, lines }) => (
          <li key={`${piece.id}/${piece.key}`}>
            <a className="tab" href={placeOf('code', piece.type, piece.id, piece.key)}>
              <bdi>{title.slice(0, 200)}</bdi>{' '}
              {piece.key === 'source' ? null : <span className="soft">{t(keyTitle(piece.key))}</span>}
              {lines.map((line) => (
                <code key={line.line} className="found-line">
                  <span className="soft">{line.line}</span> <bdi>{line.text}</bdi>
                </code>
              ))}
            </a>
          </li>
        ))}
      </ul>
      {result.rest.length === 0 ? null : (
        <Button
          onClick={() => {
            setTurn(turn + 1);
          }}
        >
          {t('code.more')}
        </Button>
      )}
    </div>
  );
}
