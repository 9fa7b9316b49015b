/** An entry of the palette. */
import type { ReactNode } from 'react';
import { PALETTE, writeEntry, type PaletteEntry } from './entries.js';

export function Chip(props: {
  readonly entry: PaletteEntry;
  readonly title: string;
  readonly disabled: boolean;
  readonly onAdd: (entry: PaletteEntry) => void;
}): ReactNode {
  const { entry, title, disabled, onAdd } = props;
  return (
    <button
      type="button"
      className="chip"
      draggable
      // It can be dragged while nothing is chosen, and says why a click does nothing.
      aria-disabled={disabled}
      onClick={() => {
        if (!disabled) onAdd(entry);
      }}
      onDragStart={(event) => {
        event.dataTransfer.setData(PALETTE, writeEntry(entry));
        event.dataTransfer.effectAllowed = 'copy';
      }}
    >
      {title}
    </button>
  );
}
