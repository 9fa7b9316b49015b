/** The fields of a form, each with its label, its help and what the server said of it. */
import { createContext, type ReactNode, useContext, useId } from 'react';
import { late } from '../../../common/late.js';
import type { FieldProblem, RefusedError } from '../../../common/request.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { schemaTexts, type SchemaText } from '../../texts/schema.js';
import { useCodeProblems } from './code-check.js';
import type { Draft } from './draft.js';
import { fieldOf } from './problems.js';

/** The editor is large; forms without code go without it. */
const CodeEditor = late(async () => (await import('../../parts/code-editor.js')).CodeEditor);

interface Form {
  readonly draft: Draft;
  readonly problem: RefusedError | undefined;
}

export const FormContext = createContext<Form | undefined>(undefined);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === undefined) throw new Error('a field stands outside of a form');
  return form;
}

const WORDS: ReadonlySet<string> = new Set([
  ...['must_match', 'already_taken', 'already_exists', 'must_not_be_empty', 'must_be_one_of', 'circular_reference'],
  ...['invalid_property_definition', 'invalid_property_reference', 'must_be_shorter_than', 'is_read_only_property'],
  ...['duplicate_relationship_definition'],
]);

/** A problem in words; the detail is the server's. */
export function useWords(): (problem: FieldProblem) => string {
  const { t } = useAreaTexts(schemaTexts);
  return ({ token = '', detail = '' }) => {
    const words = WORDS.has(token) ? t(`problem.${token}` as SchemaText) : token.replaceAll('_', ' ');
    // An id tells nobody anything.
    return detail === '' || /^[0-9a-f-]{32,36}$/.test(detail) ? words : `${words.replace(/\.$/, '')}: ${detail}`;
  };
}

/** What is wrong with a field, and how it is told to those who do not see. */
function useProblem(name: string): { readonly text: string | undefined; readonly id: string } {
  const { draft, problem } = useForm();
  const words = useWords();
  const found = problem?.problems.filter((one) => fieldOf(one, draft.values) === name) ?? [];
  const id = useId();
  return { text: found.length === 0 ? undefined : [...new Set(found.map(words))].join(' '), id };
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly disabled?: boolean;
}

function Below({
  help,
  problem,
  id,
}: {
  readonly help?: string | undefined;
  readonly problem: string | undefined;
  readonly id: string;
}): ReactNode {
  return (
    <div id={id}>
      {help === undefined ? null : <p className="soft">{help}</p>}
      {problem === undefined ? null : (
        <p className="wrong" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** One line, or several. */
export function TextInput({
  name,
  label,
  help,
  disabled = false,
  rows,
  list,
}: FieldProps & { readonly rows?: number; readonly list?: readonly string[] }): ReactNode {
  const { draft } = useForm();
  const problem = useProblem(name);
  const id = useId();
  const shared = {
    id,
    disabled,
    value: textOf(draft.values[name]),
    spellCheck: false,
    autoComplete: 'off',
    'aria-invalid': problem.text !== undefined,
    'aria-describedby': problem.id,
    onChange: (event: { readonly target: { readonly value: string } }): void => {
      draft.set(name, event.target.value);
    },
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input {...shared} list={list === undefined ? undefined : `${id}-list`} />
      ) : (
        <textarea {...shared} rows={rows} />
      )}
      {list === undefined ? null : (
        <datalist id={`${id}-list`}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      <Below help={help} problem={problem.text} id={problem.id} />
    </div>
  );
}

export type Option = string | readonly [value: string, title: string];

/** One of several. */
export function Choice({
  name,
  label,
  help,
  disabled = false,
  options,
  asNumber = false,
  onChosen,
}: FieldProps & {
  readonly options: readonly Option[];
  readonly asNumber?: boolean;
  readonly onChosen?: (value: string) => void;
}): ReactNode {
  const { draft } = useForm();
  const problem = useProblem(name);
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        disabled={disabled}
        value={textOf(draft.values[name])}
        aria-invalid={problem.text !== undefined}
        aria-describedby={problem.id}
        onChange={(event) => {
          draft.set(name, asNumber ? Number(event.target.value) : event.target.value);
          onChosen?.(event.target.value);
        }}
      >
        {options.map((option) => {
          const [value, title] = typeof option === 'string' ? [option, option] : option;
          return (
            <option key={value} value={value}>
              {title}
            </option>
          );
        })}
      </select>
      <Below help={help} problem={problem.text} id={problem.id} />
    </div>
  );
}

/** A mark that is set or not. */
export function Tick({ name, label, help, disabled = false }: FieldProps): ReactNode {
  const { draft } = useForm();
  const problem = useProblem(name);
  return (
    <div className="tick">
      <label className="choice">
        <input
          type="checkbox"
          checked={draft.values[name] === true}
          disabled={disabled}
          aria-describedby={problem.id}
          onChange={(event) => {
            draft.set(name, event.target.checked);
          }}
        />
        <span>{label}</span>
      </label>
      <Below help={help} problem={problem.text} id={problem.id} />
    </div>
  );
}

/** A text that stands for a list: its parts are separated by commas. */
export function ListInput(props: FieldProps): ReactNode {
  const { draft, problem } = useForm();
  const value = draft.values[props.name];
  const shown: Draft = {
    ...draft,
    values: { ...draft.values, [props.name]: Array.isArray(value) ? value.join(', ') : value },
    // Kept as it is typed; it becomes a list when it is sent.
    set: draft.set,
  };
  return (
    <FormContext value={{ draft: shown, problem }}>
      <TextInput {...props} />
    </FormContext>
  );
}

/** The parts of what a `ListInput` holds. */
export const partsOf = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.map(String)
    : textOf(value)
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '');

/** A script: JavaScript stands in braces, else it is an expression. Faults of JavaScript are shown at their line. */
export function CodeInput({ name, label, help }: FieldProps): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  const { draft } = useForm();
  const problem = useProblem(name);
  const value = textOf(draft.values[name]);
  const faults = useCodeProblems(value);
  return (
    <div className="field">
      <span className="code-label">{label}</span>
      <CodeEditor
        waiting={<div className="code-editor" />}
        label={label}
        value={value}
        language={value.trimStart().startsWith('{') ? 'javascript' : 'text'}
        problems={faults.map((line) => ({ line, message: t('code.fault') }))}
        onChange={(next) => {
          draft.set(name, next);
        }}
      />
      {faults.length === 0 ? null : (
        <p className="wrong" role="status">
          {t('code.faults', { lines: faults.join(', ') })}
        </p>
      )}
      <Below help={help} problem={problem.text} id={problem.id} />
    </div>
  );
}
