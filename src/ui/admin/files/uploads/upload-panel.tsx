/** How far uploads are; each can rest, go on and be ended. */
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Button, Tick } from '../../../common/parts.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useFormats } from '../../texts/index.js';
import { filePlace } from '../places.js';
import { uploads } from './upload-queue.js';
import { MOST_SHOWN, type Choice, type Shown, type Uploads } from './upload-state.js';

export function UploadPanel(): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const { number, bytes } = useFormats();
  const { shown, all, over, failed, paused, asking, sent, size } = useSyncExternalStore(
    uploads.subscribe,
    uploads.snapshot,
  );
  if (all === 0) return null;
  const going = all - over - failed - paused - (asking?.count ?? 0);
  return (
    <section className="card uploads" aria-label={t('uploads')}>
      <div className="row spread">
        <h2>{t('uploadsOf', { over: number(over), all: number(all), sent: bytes(sent), size: bytes(size) })}</h2>
        <div className="row">
          {going === 0 ? null : (
            <Button
              onClick={() => {
                uploads.pauseAll();
              }}
            >
              {t('pauseAll')}
            </Button>
          )}
          {failed + paused === 0 ? null : (
            <Button
              onClick={() => {
                uploads.resumeAll();
              }}
            >
              {t('resumeAll')}
            </Button>
          )}
          {over === 0 ? null : (
            <Button
              onClick={() => {
                uploads.clear();
              }}
            >
              {t('clearUploads')}
            </Button>
          )}
        </div>
      </div>
      <p className="hidden" role="status">
        {going + paused === 0 && asking === undefined
          ? t('uploadsOver', { over: number(over), failed: number(failed) })
          : ''}
      </p>
      {asking === undefined ? null : <Question asking={asking} />}
      <ul>
        {shown.map((item) => (
          <Line key={item.key} item={item} />
        ))}
      </ul>
      {all > shown.length ? <p className="soft">{t('moreUploads', { n: number(all - MOST_SHOWN) })}</p> : null}
    </section>
  );
}

const CHOICES: readonly Choice[] = ['replace', 'beside', 'leave'];

/** What is to be done where a file of the same name is. The next question takes its place, so the focus stays on the button. */
function Question({ asking }: { readonly asking: NonNullable<Uploads['asking']> }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const [all, setAll] = useState(false);
  const { key, name, count } = asking;
  useEffect(() => {
    setAll(false);
  }, [key]);
  return (
    <div className="notice note" role="alert">
      <p dir="auto" className="upload-asked">
        {t('sameName', { name })} {count > 1 ? <small>{t('sameName.more', { n: count - 1 })}</small> : null}
      </p>
      <div className="row">
        {CHOICES.map((choice) => (
          <Button
            key={choice}
            onClick={() => {
              uploads.answer(key, choice, all);
            }}
          >
            {t(`sameName.${choice}`)}
          </Button>
        ))}
        <Tick label={t('sameName.all')} checked={all} onChange={setAll} />
      </div>
    </div>
  );
}

function Line({ item }: { readonly item: Shown }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const { key, name, size, sent, state, problem, file } = item;
  const percent = size === 0 ? (state === 'done' ? 100 : 0) : Math.floor((100 * sent) / size);
  return (
    <li>
      <div className="upload">
        {file === undefined || state !== 'done' ? (
          <span className="upload-name" dir="auto">
            {name}
          </span>
        ) : (
          <a className="upload-name" dir="auto" href={filePlace(file)}>
            {name}
          </a>
        )}
        <progress max={100} value={percent} aria-label={t('progressOf', { name })} />
        <span className="soft upload-state">{state === 'sending' ? `${String(percent)} %` : t(`upload.${state}`)}</span>
        <span className="upload-actions">
          {state === 'paused' || state === 'failed' ? (
            <Button
              aria-label={t(state === 'failed' ? 'againOne' : 'resumeOne', { name })}
              onClick={() => {
                uploads.resume(key);
              }}
            >
              {t(state === 'failed' ? 'app.again' : 'resume')}
            </Button>
          ) : state === 'done' || state === 'asking' ? null : (
            <Button
              aria-label={t('pauseOne', { name })}
              onClick={() => {
                uploads.pause(key);
              }}
            >
              {t('pause')}
            </Button>
          )}
          {state === 'done' ? null : (
            <Button
              aria-label={t('cancelOne', { name })}
              onClick={() => {
                uploads.cancel(key);
              }}
            >
              {t('app.cancel')}
            </Button>
          )}
        </span>
      </div>
      <Trouble problem={problem} />
    </li>
  );
}
