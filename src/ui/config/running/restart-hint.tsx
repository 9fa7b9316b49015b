/** That some settings wait for the next start. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../common/parts.js';
import { Restart } from './restart.js';

export function RestartHint({
  names,
  onBack,
}: {
  readonly names: readonly string[];
  readonly onBack: () => void;
}): ReactNode {
  const [asked, setAsked] = useState(false);
  if (names.length === 0) return null;
  return (
    <div className="notice note" role="status">
      <p>
        These settings count from the next start on: <code>{names.join(', ')}</code>
      </p>
      {asked ? (
        <>
          <p>Requests that are on their way have some seconds to end.</p>
          <Restart onBack={onBack} />
        </>
      ) : (
        <Button
          onClick={() => {
            setAsked(true);
          }}
        >
          Restart …
        </Button>
      )}
    </div>
  );
}
