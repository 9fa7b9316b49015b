/** What would change, as a dry run tells it. */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';

export interface Outcome {
  readonly differences?: readonly unknown[];
  readonly warnings?: readonly string[];
}

/** More of them are counted. */
const SHOWN = 50;

const textOf = (difference: unknown): string =>
  typeof difference === 'string' ? difference : JSON.stringify(difference);

export function Differences({
  outcome: { differences = [], warnings = [] },
}: {
  readonly outcome: Outcome;
}): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  return (
    <div className="differences">
      <h3>{differences.length === 0 ? t('differences.none') : t('differences.title', { n: differences.length })}</h3>
      <ul>
        {differences.slice(0, SHOWN).map((difference) => (
          <li key={textOf(difference)}>
            <code>{textOf(difference)}</code>
          </li>
        ))}
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
      {differences.length > SHOWN ? (
        <p className="soft">{t('differences.more', { n: differences.length - SHOWN })}</p>
      ) : null}
    </div>
  );
}
