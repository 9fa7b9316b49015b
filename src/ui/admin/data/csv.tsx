/** Tables out and in (docs/interface/monitoring.md 7). */
import { type ReactNode, useRef } from 'react';
import { Button } from '../../common/parts.js';
import { send } from '../../common/request.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import type { Query } from '../server/rest.js';
import { useTexts } from '../texts/index.js';

/** A link to all that the filters leave, in the order of the table. */
export function ExportCsv({ type, query }: { readonly type: string; readonly query: Query }): ReactNode {
  const { t } = useTexts();
  const parameters = new URLSearchParams(query as Record<string, string>);
  parameters.set('_disableSoftLimit', '1');
  return (
    <a
      className="button"
      href={`csv/${encodeURIComponent(type)}/all?${parameters.toString()}`}
      download={`${type}.csv`}
    >
      {t('data.export')}
    </a>
  );
}

export function ImportCsv({
  type,
  onImported,
}: {
  readonly type: string;
  readonly onImported: (count: number) => void;
}): ReactNode {
  const { t } = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const { busy, problem, run } = useWork();
  const load = async (file: File): Promise<void> => {
    const head = await file.slice(0, 4096).text();
    const line = head.split('\n', 1)[0] ?? '';
    // What separates cells is what the first line has most of.
    const delimiter = [';', ',', '\t'].sort((a, b) => line.split(b).length - line.split(a).length)[0] ?? ';';
    const response = await send(`csv/${encodeURIComponent(type)}?delimiter=${encodeURIComponent(delimiter)}`, {
      method: 'POST',
      body: file,
      headers: { 'Content-Type': 'text/csv' },
    });
    const { result } = (await response.json()) as { readonly result: readonly string[] };
    onImported(result.length);
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        hidden
        aria-label={t('data.import')}
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file !== undefined) void run(() => load(file));
        }}
      />
      <Button
        disabled={busy}
        onClick={() => {
          input.current?.click();
        }}
      >
        {t('data.import')}
      </Button>
      <Trouble problem={problem} />
    </>
  );
}
