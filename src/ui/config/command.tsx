import type { ReactNode } from 'react';

/** A command as it is typed. Where it is longer than the page it is scrolled, by keyboard too. */
export function Command({ text }: { readonly text: string }): ReactNode {
  return (
    <pre className="command" tabIndex={0} aria-label="Command">
      {text}
    </pre>
  );
}
