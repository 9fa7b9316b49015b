/** What scripts can call and name, with its documentation (docs/interface/script-runtime.md 10.2). */
import { read } from './rest.js';

export interface FunctionInfo {
  readonly kind: 'function' | 'keyword';
  readonly name: string;
  readonly meaning: string;
  readonly category?: string;
  readonly signature?: string;
  readonly example?: string;
  readonly aliases?: readonly string[];
}

let loading: Promise<readonly FunctionInfo[]> | undefined;

/** Read once; empty for a user who may not see it. */
export function loadFunctions(): Promise<readonly FunctionInfo[]> {
  loading ??= read<readonly FunctionInfo[]>('_functions').catch(() => {
    loading = undefined;
    return [];
  });
  return loading;
}

/** The function or keyword of a name, in either spelling. */
export function functionNamed(functions: readonly FunctionInfo[], name: string): FunctionInfo | undefined {
  const plain = name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return functions.find((one) => one.name === name || one.name === plain || one.aliases?.includes(plain) === true);
}
