/** What exports and imports share: whether it is an application or data, and their commands on the server (docs/interface/deployment.md). */
import type { ReactNode } from 'react';
import { call } from '../server/rest.js';
import { useTexts } from '../texts/index.js';
import { ChoiceField } from './choice-field.js';
import type { Run } from './run.js';

export type Kind = 'app' | 'data';

/** The field that asks whether it is an application or data. */
export function KindField(props: {
  readonly id: string;
  readonly kind: Kind;
  readonly onChange: (kind: Kind) => void;
}): ReactNode {
  const { t } = useTexts();
  const { id, kind, onChange } = props;
  return (
    <ChoiceField
      id={id}
      label={t('deploy.kind')}
      value={kind}
      options={[
        ['app', t('deploy.app')],
        ['data', t('deploy.data')],
      ]}
      onChange={onChange}
    />
  );
}

/** Begins a job on the server, and follows it. */
export async function deployOnServer(run: Run, kind: Kind, input: Readonly<Record<string, unknown>>): Promise<void> {
  const command = `maintenance/${kind === 'app' ? 'deploy' : 'deployData'}`;
  const [begun] = (await call<readonly { readonly jobId: number }[]>(command, { ...input, background: true })) ?? [];
  if (begun !== undefined) await run.follow({ id: begun.jobId });
}

/** Follows the job that a request begins: the request waits for its end. */
export async function followWhile(run: Run, type: string, request: () => Promise<void>): Promise<void> {
  await run.follow({ type });
  try {
    await request();
  } catch (error) {
    run.stop();
    throw error;
  }
}
