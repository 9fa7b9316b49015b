/** A field with a few fixed values. */
import type { ReactNode } from 'react';

export function ChoiceField<Value extends string>(props: {
  readonly id: string;
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, title: string])[];
  readonly onChange: (value: Value) => void;
}): ReactNode {
  const { id, label, value, options, onChange } = props;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => {
          const chosen = options.find(([one]) => one === event.target.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
      >
        {options.map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}
