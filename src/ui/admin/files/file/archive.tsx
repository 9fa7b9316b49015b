/** Unpacks a ZIP archive beside itself, as a job of the server (docs/interface/imports.md 2). */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { call, read } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useFormats } from '../../texts/index.js';
import type { Entry } from '../tree-server.js';

export const isArchive = ({ contentType, name }: Entry): boolean =>
  contentType === 'application/zip' || (contentType === 'application/octet-stream' && /\.zip$/i.test(name));

interface Job {
  readonly status: string;
  readonly processedObjects?: number | null;
  readonly exception?: { readonly message?: string } | null;
}

const PAUSE_MS = 500;
const OVER: readonly string[] = ['FINISHED', 'FAILED', 'ABORTED'];

export function Archive({ entry, onChanged }: { readonly entry: Entry; readonly onChanged: () => void }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const { number } = useFormats();
  const [id, setId] = useState<string>();
  const [job, setJob] = useState<Job>();
  const { busy, problem, run } = useWork();
  useEffect(() => {
    if (id === undefined) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const now = await read<Job>(`jobs/${id}`).catch(() => undefined);
      if (over) return;
      if (now !== undefined) setJob(now);
      if (now !== undefined && OVER.includes(now.status)) {
        setId(undefined);
        onChanged();
      } else timer = setTimeout(look, PAUSE_MS);
    };
    void look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [id]);
  const n = number(job?.processedObjects ?? 0);
  return (
    <div>
      <p>{t('unpackHelp')}</p>
      <Trouble problem={problem} />
      {job?.status === 'FINISHED' ? <Notice kind="good">{t('unpacked', { n })}</Notice> : null}
      {job?.status === 'FAILED' || job?.status === 'ABORTED' ? (
        <Notice kind="wrong">{t('unpackFailed', { why: job.exception?.message ?? job.status })}</Notice>
      ) : null}
      {id === undefined ? null : <p role="status">{t('unpacking', { n })}</p>}
      <Button
        kind="main"
        disabled={busy || id !== undefined}
        onClick={() => {
          setJob(undefined);
          void run(async () => {
            const begun = await call<string | number>(`File/${entry.id}/unarchive`);
            setId(String(begun));
          });
        }}
      >
        {t('unpack')}
      </Button>
    </div>
  );
}
