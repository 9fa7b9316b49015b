/** The schema as a document: out into a file, and in from one (docs/interface/deployment.md 6). */
import { type ReactNode, useRef, useState } from 'react';
import { Button, Confirm, Notice } from '../../../common/parts.js';
import { send } from '../../../common/request.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { read, restPath } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';
import { Differences, type Outcome } from './differences.js';
import { download } from './download.js';

interface Chosen {
  readonly name: string;
  readonly schema: string;
  readonly outcome: Outcome;
}

/** Replaces the schema, or says what that would change. */
async function replace(schema: string, dryRun: boolean): Promise<Outcome> {
  const response = await send(restPath('maintenance/_schemaJson'), {
    method: 'POST',
    json: { schema, ...(dryRun ? { dryRun } : {}) },
  });
  return (await response.json()) as Outcome;
}

export function Documents({ onReplaced }: { readonly onReplaced: () => void }): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const { busy, problem, run } = useWork();
  const field = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<Chosen>();
  const [done, setDone] = useState(false);
  return (
    <section className="card">
      <h2>{t('documents.title')}</h2>
      <p className="soft">{t('documents.help')}</p>
      <Trouble problem={problem} />
      {done ? <Notice kind="good">{t('documents.replaced')}</Notice> : null}
      {chosen === undefined ? null : (
        <>
          <Differences outcome={chosen.outcome} />
          <Confirm
            question={t('documents.question', { name: chosen.name })}
            yes={t('documents.replace')}
            no={t('app.cancel')}
            disabled={busy}
            onYes={() => {
              void run(async () => {
                await replace(chosen.schema, false);
                setChosen(undefined);
                setDone(true);
                onReplaced();
              });
            }}
            onNo={() => {
              setChosen(undefined);
            }}
          />
        </>
      )}
      <div className="row">
        <Button
          disabled={busy}
          onClick={() => {
            void run(async () => {
              download('schema.json', await read<string>('maintenance/_schemaJson'));
            });
          }}
        >
          {t('documents.export')}
        </Button>
        <Button disabled={busy} onClick={() => field.current?.click()}>
          {t('documents.import')}
        </Button>
        <input
          ref={field}
          type="file"
          hidden
          aria-label={t('documents.file')}
          accept="application/json,.json"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            event.target.value = '';
            setDone(false);
            if (file === undefined) return;
            void run(async () => {
              const schema = await file.text();
              setChosen({ name: file.name, schema, outcome: await replace(schema, true) });
            });
          }}
        />
      </div>
    </section>
  );
}
