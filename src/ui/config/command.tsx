import type { ReactNode } from 'react';

/** A command as it is typed. */
export function Command({ text }: { readonly text: string }): ReactNode {
  return <pre className="command">{text}</pre>;
}
