import type { ReactNode } from 'react';

/** A command as it is typed, an option a line. */
export function Command({ text }: { readonly text: string }): ReactNode {
  return <pre className="command">{text.replaceAll(' --', ' \\\n  --')}</pre>;
}
