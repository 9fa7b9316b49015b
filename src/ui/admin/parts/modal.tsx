/** A window above the page, closed with Escape; the focus goes back to where it was. */
import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

/** `wide`: for code and tables. */
export function Modal(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const { title, onClose, wide = false, children } = props;
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className={wide ? 'card dialog wide' : 'card dialog'}>
          <Dialog.Title>{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
