/** Small parts that all pages are made of. */
import { Button as BaseButton } from '@base-ui/react/button';
import { Field } from '@base-ui/react/field';
import { type ComponentProps, type ReactNode, useId } from 'react';

type Kind = 'main' | 'plain' | 'danger';

/** A button; `main`: what the page is for. */
export function Button({
  kind = 'plain',
  ...rest
}: ComponentProps<typeof BaseButton> & { readonly kind?: Kind }): ReactNode {
  return <BaseButton {...rest} className={`button ${kind}`} />;
}

/** A field of text with its label, and what is wrong with it. */
export function TextField(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password';
  readonly help?: string;
  readonly problem?: string | undefined;
  readonly autoComplete?: string;
  readonly disabled?: boolean;
}): ReactNode {
  const { label, value, onChange, type = 'text', help, problem, autoComplete = 'off', disabled = false } = props;
  return (
    <Field.Root className="field" invalid={problem !== undefined} disabled={disabled}>
      <Field.Label>{label}</Field.Label>
      <Field.Control
        type={type}
        value={value}
        autoComplete={autoComplete}
        spellCheck={false}
        onValueChange={onChange}
      />
      {help === undefined ? null : <Field.Description className="soft">{help}</Field.Description>}
      {problem === undefined ? null : (
        <Field.Error className="wrong" match>
          {problem}
        </Field.Error>
      )}
    </Field.Root>
  );
}

/** A field for one file. `accept`: which ones a browser offers. */
export function FileField(props: {
  readonly label: string;
  readonly accept: string;
  readonly onChange: (file: File | undefined) => void;
}): ReactNode {
  const { label, accept, onChange } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={(event) => {
          onChange(event.target.files?.[0]);
        }}
      />
    </div>
  );
}

/** A box that is ticked or not, with its label. */
export function Tick(props: {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly help?: string;
  readonly disabled?: boolean;
}): ReactNode {
  const { label, checked, onChange, help, disabled = false } = props;
  return (
    <label className="choice">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => {
          onChange(event.target.checked);
        }}
      />
      <span>
        {label}
        {help === undefined ? null : <small className="soft">{help}</small>}
      </span>
    </label>
  );
}

/** What went wrong, or well; read out as it appears. */
export function Notice({
  kind,
  children,
}: {
  readonly kind: 'wrong' | 'good' | 'note';
  readonly children: ReactNode;
}): ReactNode {
  return (
    <p className={`notice ${kind}`} role={kind === 'wrong' ? 'alert' : 'status'}>
      {children}
    </p>
  );
}

/** Says that there is nothing here, and what would make it otherwise. */
export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className="soft empty">{children}</p>;
}

/** A word beside something, such as where a value comes from. */
export function Badge({
  kind = 'plain',
  children,
}: {
  readonly kind?: 'plain' | 'good' | 'warn' | 'wrong';
  readonly children: ReactNode;
}): ReactNode {
  return <span className={`badge ${kind}`}>{children}</span>;
}

/** A question before something that is felt at once, or cannot be taken back. `yes`: what is done then. */
export function Confirm(props: {
  readonly question: string;
  readonly yes: string;
  readonly no: string;
  readonly disabled?: boolean;
  readonly onYes: () => void;
  readonly onNo: () => void;
}): ReactNode {
  const { question, yes, no, disabled = false, onYes, onNo } = props;
  return (
    <div className="notice note" role="alertdialog" aria-label={yes}>
      <p>{question}</p>
      <div className="row">
        <Button kind="danger" disabled={disabled} onClick={onYes}>
          {yes}
        </Button>
        <Button onClick={onNo}>{no}</Button>
      </div>
    </div>
  );
}
