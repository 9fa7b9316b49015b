/** The documentation of the function at the cursor of an editor for scripts. */
import { type ReactNode, useEffect, useState } from 'react';
import { functionNamed, loadFunctions, type FunctionInfo } from '../server/functions.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { scriptTexts } from '../texts/scripts.js';
import './script.css';

const WORD = /[A-Za-z_]\w*/g;

/**
 * The names at a place of a line: the word that the cursor touches, then the functions whose arguments it stands in, innermost first. Strings
 * count as text, so that a bracket in one opens nothing.
 */
export function namesAt(line: string, column: number): readonly string[] {
  const names: string[] = [];
  for (const match of line.matchAll(WORD)) {
    if (match.index <= column && column <= match.index + match[0].length) names.push(match[0]);
  }
  const open: string[] = [];
  let quote = '';
  for (let i = 0; i < column; i++) {
    const c = line.charAt(i);
    if (quote !== '') {
      if (c === '\\') i++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'" || c === '`') quote = c;
    else if (c === '(') open.push(/(\w+)\s*$/.exec(line.slice(0, i))?.[1] ?? '');
    else if (c === ')') open.pop();
  }
  return [...names, ...open.reverse()].filter((name) => name !== '');
}

/** What is known at a place of a line; `undefined`: nothing. */
export function useFunctionAt(): {
  readonly found: FunctionInfo | undefined;
  readonly look: (line: string, column: number) => void;
} {
  const [functions, setFunctions] = useState<readonly FunctionInfo[]>([]);
  const [found, setFound] = useState<FunctionInfo>();
  useEffect(() => {
    void loadFunctions().then(setFunctions);
  }, []);
  return {
    found,
    look(line, column) {
      for (const name of namesAt(line, column)) {
        const one = functionNamed(functions, name);
        if (one === undefined) continue;
        setFound(one);
        return;
      }
    },
  };
}

export function FunctionDoc({ found }: { readonly found: FunctionInfo | undefined }): ReactNode {
  const { t } = useAreaTexts(scriptTexts);
  return (
    <section className="function-doc" aria-label={t('script.documentation')}>
      {found === undefined ? (
        <p className="soft">{t('script.documentationHint')}</p>
      ) : (
        <>
          <h3>
            <code>{found.signature ?? found.name}</code>
          </h3>
          <p className="soft">{found.category ?? t('script.keyword')}</p>
          <p>{found.meaning}</p>
          {found.example === undefined ? null : (
            <p>
              <span className="soft">{t('script.example')}</span>
              <br />
              <code>{found.example}</code>
            </p>
          )}
        </>
      )}
    </section>
  );
}
