/**
 * An editor for code. It lies in a shadow root: there it adopts its style sheets, which the policy of the page permits; elements with
 * styles in them it does not. Tab leaves the editor, as elsewhere; Ctrl-M lets it indent.
 */
import { autocompletion, type CompletionSource } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, type KeyBinding } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type ReactNode, useEffect, useRef } from 'react';
import { loadLanguage, type CodeLanguage } from './code-languages.js';

/** A fault to be shown at its line, counted from 1. */
export interface CodeProblem {
  readonly line: number;
  readonly message: string;
}

export interface CodeEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange?: (value: string) => void;
  readonly language?: CodeLanguage;
  readonly readOnly?: boolean;
  readonly problems?: readonly CodeProblem[];
  /** What is offered while typing. Taken from the first turn. */
  readonly complete?: CompletionSource;
  /** The text of the line and the column, from 0, where the cursor is. Taken from the first turn. */
  readonly onCursor?: (line: string, column: number) => void;
  /** Ctrl-Enter or Cmd-Enter, and Ctrl-S. */
  readonly onGo?: () => void;
  /** Keys that come before those of the editor. Taken from the first turn. */
  readonly keys?: readonly KeyBinding[];
}

/** Of texts that were told, so that an owner who never gives them back costs no memory. */
const MOST_ECHOES = 50;

/** For both schemes: whoever turns from one to the other while the editor is there reads on. */
const style = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'light-dark(#7a1fa2, #c9a2ff)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'light-dark(#14683a, #9fdc9a)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'light-dark(#7a4a00, #f3c778)' },
  { tag: [tags.comment], color: 'light-dark(#566072, #a3aec0)', fontStyle: 'italic' },
  {
    tag: [tags.function(tags.variableName), tags.definition(tags.variableName)],
    color: 'light-dark(#17409f, #8ab0ff)',
  },
  { tag: [tags.tagName, tags.typeName, tags.className], color: 'light-dark(#0b5d66, #7fd6d6)' },
  { tag: [tags.propertyName, tags.attributeName], color: 'light-dark(#7a3d10, #e3c2a0)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--card)', fontSize: '0.875rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--ground)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent-soft) 30%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--card)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on)' },
  '.cm-panels': { backgroundColor: 'var(--ground)', color: 'var(--text)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--card)' },
  '.cm-textfield': { backgroundColor: 'var(--card)' },
  // Those of the library are for one scheme each.
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--accent-soft) 70%, transparent)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)' },
});

/**
 * Typing over what is selected: left to itself, Chromium gives the new text the colours of the old one by an attribute `style`, which the policy
 * of the page forbids, and writes that into the browser's console. What an input method composes is left to the editor.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    const { data, inputType, isComposing } = event;
    const { from, to, empty } = state.selection.main;
    if (inputType !== 'insertText' || isComposing || data === null || empty || state.readOnly) return false;
    const insert = () => state.update(state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    if (!state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert)))
      view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

function diagnosticsOf(state: EditorState, problems: readonly CodeProblem[]): Diagnostic[] {
  return problems.map(({ line, message }) => {
    const { from, to } = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
    return { from, to, severity: 'error', message };
  });
}

export function CodeEditor(props: CodeEditorProps): ReactNode {
  const { label, value, language = 'text', readOnly = false, problems } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  /** Texts that were told and have not come back yet. */
  const echoes = useRef<readonly string[]>([]);
  const parts = useRef({ language: new Compartment(), readOnly: new Compartment() });
  useEffect(() => {
    const root = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' });
    if (root === undefined) return;
    const go = (): boolean => {
      latest.current.onGo?.();
      return latest.current.onGo !== undefined;
    };
    const { complete } = latest.current;
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          keymap.of([{ key: 'Mod-Enter', run: go }, { key: 'Mod-s', run: go }, ...(latest.current.keys ?? [])]),
          lineNumbers(),
          history(),
          drawSelection(),
          bracketMatching(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          search({ top: true }),
          lintGutter(),
          syntaxHighlighting(style),
          autocompletion(complete === undefined ? {} : { override: [complete] }),
          keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.lineWrapping,
          typedOver,
          // It has the focus as a field of text has it; who looks for what a keyboard reaches goes by this.
          EditorView.contentAttributes.of({ 'aria-label': latest.current.label, tabindex: '0' }),
          theme,
          parts.current.language.of([]),
          parts.current.readOnly.of([]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) {
              const text = update.state.doc.toString();
              echoes.current = [...echoes.current, text].slice(-MOST_ECHOES);
              latest.current.onChange?.(text);
            }
            if (update.docChanged || update.selectionSet) {
              const { head } = update.state.selection.main;
              const line = update.state.doc.lineAt(head);
              latest.current.onCursor?.(line.text, head - line.from);
            }
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = undefined;
    };
  }, [label]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    // What was told comes back, and more may have been typed meanwhile.
    const echo = echoes.current.indexOf(value);
    echoes.current = echo === -1 ? [] : echoes.current.slice(echo + 1);
    if (echo !== -1 || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    let stale = false;
    void loadLanguage(language).then((loaded) => {
      if (!stale) view.current?.dispatch({ effects: parts.current.language.reconfigure(loaded) });
    });
    return () => {
      stale = true;
    };
  }, [language, label]);
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.readOnly.reconfigure(EditorState.readOnly.of(readOnly)) });
  }, [readOnly, label]);
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined)
      editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, problems ?? [])));
  }, [problems, label]);
  return <div ref={host} className="code-editor" />;
}
