/** What went wrong, in words for who reads it. */
import type { ReactNode } from 'react';
import { Notice } from '../../common/parts.js';
import type { RefusedError } from '../../common/request.js';
import { useTexts } from '../texts/index.js';

/** A refusal of the server; nothing where there is none. */
export function Trouble({ problem }: { readonly problem: RefusedError | undefined }): ReactNode {
  const { t } = useTexts();
  if (problem === undefined) return null;
  const refused = problem.status === 401 || problem.status === 403;
  const fields = problem.problems.map(({ property = '', token = '', detail = '' }) =>
    [property, token.replaceAll('_', ' '), detail].filter(Boolean).join(' '),
  );
  return (
    <Notice kind="wrong">
      {refused ? t('app.refused') : problem.status === 0 ? t('app.offline') : problem.message}
      {fields.length === 0 ? null : ` (${fields.join('; ')})`}
    </Notice>
  );
}
