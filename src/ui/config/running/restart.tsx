/** Starts the server again, and waits until it is back. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { server } from '../asking.js';

const LOOK_EVERY_MS = 700;

export function Restart({ onBack }: { readonly onBack: () => void }): ReactNode {
  const { busy, problem, run } = useWork();
  const [phase, setPhase] = useState<'ready' | 'ending' | 'starting'>('ready');
  useEffect(() => {
    if (phase === 'ready') return undefined;
    const timer = setInterval(() => {
      server.state().then(
        (state) => {
          // A login does not outlive its server: that it is gone says that the new one answers.
          if (phase === 'starting' || !state.loggedIn) {
            clearInterval(timer);
            onBack();
          }
        },
        () => {
          setPhase('starting');
        },
      );
    }, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
    };
  }, [phase, onBack]);
  if (phase !== 'ready') return <Notice kind="note">The server starts again. This page waits for it.</Notice>;
  return (
    <>
      <Button
        kind="main"
        disabled={busy}
        onClick={() => {
          void run(async () => {
            await server.restart();
            setPhase('ending');
          });
        }}
      >
        Restart the server
      </Button>
      {problem === undefined ? null : <Notice kind="wrong">{problem.message}</Notice>}
    </>
  );
}
