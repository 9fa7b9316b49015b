/** Where a line is typed: Enter runs it, the arrows show what was run before. */
import type { EditorView } from '@codemirror/view';
import { insertNewlineAndIndent } from '@codemirror/commands';
import { type ReactNode, useMemo, useRef } from 'react';
import { CodeEditor, type CodeProblem } from '../parts/code-editor.js';
import { scriptCompletion } from '../parts/script-completion.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { consoleTexts } from '../texts/console.js';
import type { History } from './history.js';
import { isMode, MODES, type Mode } from './modes.js';

export interface InputProps {
  readonly mode: Mode;
  readonly line: string;
  readonly problems: readonly CodeProblem[];
  readonly history: History;
  readonly onLine: (line: string) => void;
  readonly onMode: (mode: Mode) => void;
  readonly onRun: (line: string) => void;
  readonly onCursor: (line: string, column: number) => void;
}

export function Input(props: InputProps): ReactNode {
  const { mode, line, problems, onLine, onCursor, onRun } = props;
  const { t } = useAreaTexts(consoleTexts);
  const latest = useRef(props);
  latest.current = props;
  /** How many lines back; 0: what is being typed, which is kept meanwhile. */
  const back = useRef(0);
  const typed = useRef({ mode, line });
  const row = MODES.find(({ name }) => name === mode);
  const go = (by: number): boolean => {
    const { history, onLine: show, onMode } = latest.current;
    const next = back.current + by;
    const past = history.at(next);
    if (next < 0 || (next > 0 && past === undefined)) return next > 0;
    if (back.current === 0) typed.current = { mode: latest.current.mode, line: latest.current.line };
    back.current = next;
    const shown = past ?? typed.current;
    if (isMode(shown.mode)) onMode(shown.mode);
    show(shown.line);
    return true;
  };
  const keys = useMemo(
    () => [
      {
        key: 'Enter',
        run: (view: EditorView): boolean => {
          back.current = 0;
          latest.current.onRun(view.state.doc.toString());
          return true;
        },
        shift: insertNewlineAndIndent,
      },
      // Within several lines the arrows move as elsewhere.
      { key: 'ArrowUp', run: (view: EditorView) => lineOf(view) === 1 && go(1) },
      {
        key: 'ArrowDown',
        run: (view: EditorView) => lineOf(view) === view.state.doc.lines && back.current > 0 && go(-1),
      },
    ],
    [],
  );
  const complete = useMemo(
    () =>
      scriptCompletion(
        () => {
          const { mode: now } = latest.current;
          return now === 'javascript' || now === 'expression' ? now : 'other';
        },
        () => undefined,
      ),
    [],
  );
  return (
    <CodeEditor
      label={t('console.input')}
      value={line}
      language={row?.language ?? 'text'}
      problems={problems}
      complete={complete}
      keys={keys}
      onChange={onLine}
      onCursor={onCursor}
      onGo={() => {
        back.current = 0;
        onRun(line);
      }}
    />
  );
}

function lineOf({ state }: EditorView): number {
  return state.doc.lineAt(state.selection.main.head).number;
}
