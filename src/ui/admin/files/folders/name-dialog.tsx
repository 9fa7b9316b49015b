/** Asks for a name. */
import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';

/** A name as the server takes it (docs/interface/files.md 2). */
const isName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name) && new TextEncoder().encode(name).length <= 255;

export function NameDialog(props: {
  readonly title: string;
  readonly name: string;
  readonly action: string;
  /** Does what the name is for; a text: what to tell, and the window stays. */
  readonly onName: (name: string) => Promise<string | void>;
  readonly onClose: () => void;
}): ReactNode {
  const { title, name, action, onName, onClose } = props;
  const { t } = useAreaTexts(filesTexts);
  const [text, setText] = useState(name);
  const [told, setTold] = useState<string>();
  const { busy, problem, run } = useWork();
  const wrong = text !== '' && !isName(text);
  const save = async (): Promise<void> => {
    const answer = await onName(text);
    setTold(answer ?? undefined);
    if (answer === undefined) onClose();
  };
  return (
    <Modal title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isName(text)) void run(save);
        }}
      >
        {problem?.fields.has('name') === true ? null : <Trouble problem={problem} />}
        {told === undefined ? null : (
          <p className="notice note" role="alert">
            {told}
          </p>
        )}
        <TextField
          label={t('name')}
          value={text}
          onChange={setText}
          problem={wrong || problem?.fields.has('name') === true ? t('wrongName') : undefined}
        />
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || !isName(text)}>
            {action}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
