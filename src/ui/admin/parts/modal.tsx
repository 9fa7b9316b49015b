/** A window above the page, closed with Escape; the focus goes back to where it was. */
import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';

/** What may have the focus at first. */
const FIRST = ':is(a[href], button, input, select, textarea, [tabindex="0"]):not(:disabled, [hidden])';

/** `wide`: for code and tables. */
export function Modal(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const { title, onClose, wide = false, children } = props;
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          ref={popup}
          className={wide ? 'card dialog wide' : 'card dialog'}
          // A finger has no need of a focus, which would open a keyboard; the head of a group that folds is no field.
          initialFocus={(by) => (by === 'touch' ? true : (popup.current?.querySelector<HTMLElement>(FIRST) ?? true))}
        >
          <Dialog.Title>{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
