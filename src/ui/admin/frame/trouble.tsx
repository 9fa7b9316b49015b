/** What went wrong, in words for who reads it. */
import type { ReactNode } from 'react';
import { Notice } from '../../common/parts.js';
import { FAULT, type RefusedError } from '../../common/request.js';
import { useTexts, type Translate } from '../texts/index.js';

/** A refusal of the server; nothing where there is none. */
export function Trouble({ problem }: { readonly problem: RefusedError | undefined }): ReactNode {
  const { t } = useTexts();
  if (problem === undefined) return null;
  const fields = problem.problems.map(({ property = '', token = '', detail = '' }) =>
    [property, token.replaceAll('_', ' '), detail].filter(Boolean).join(' '),
  );
  return (
    <Notice kind="wrong">
      {wordsOf(problem, t)}
      {fields.length === 0 ? null : ` (${fields.join('; ')})`}
    </Notice>
  );
}

/** 401 says that the endpoint is not for this user, and no more. All else the server says in words of its own. */
export function wordsOf({ status, message }: RefusedError, t: Translate): string {
  if (status === 0) return t('app.offline');
  if (status === 401) return t('app.refused');
  if (status === 403) return t('app.forbidden', { why: message });
  return status === FAULT ? t('app.fault', { why: message }) : message;
}
