/** Tells what somebody else has changed meanwhile, and who it was (docs/interface/admin-ui.md 4.3). What was typed stays. */
import { type ReactNode, useEffect, useState } from 'react';
import { Notice } from '../../common/parts.js';
import { read, type Entity } from '../server/rest.js';
import type { Met } from '../server/save-over.js';
import { useFormats, useTexts } from '../texts/index.js';

/** Of their value, characters. */
const MOST_SHOWN = 500;

const shown = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value ?? null)).slice(0, MOST_SHOWN);

/** `titleOf`: what a property is called here; absent: by its key. */
export function OthersChanged({
  met,
  titleOf = (key) => key,
}: {
  readonly met: readonly Met[];
  readonly titleOf?: (key: string) => string;
}): ReactNode {
  const { t } = useTexts();
  const { by, at } = met[0] ?? {};
  return met.length === 0 ? null : (
    <div className="others-changed">
      {met.map(({ key, theirs }) => (
        <Notice key={key} kind="note">
          {t('others.changed', { name: titleOf(key), theirs: shown(theirs) })}
        </Notice>
      ))}
      {by === undefined ? null : <Who key={by} id={by} at={at} />}
    </div>
  );
}

function Who({ id, at }: { readonly id: string; readonly at: string | undefined }): ReactNode {
  const { t } = useTexts();
  const { time } = useFormats();
  const [name, setName] = useState<string>();
  useEffect(() => {
    let isOver = false;
    read<Entity>(`Principal/${encodeURIComponent(id)}`).then(
      (user) => {
        if (!isOver) setName(user.name ?? undefined);
      },
      // Who may not see users is not told.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [id]);
  return name === undefined ? null : (
    <p className="soft" role="status">
      {t('others.who', { name, time: at === undefined ? '' : time(at) })}
    </p>
  );
}
