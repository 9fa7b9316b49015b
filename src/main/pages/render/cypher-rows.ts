/** Repeaters whose source is a statement in Cypher (docs/interface/pages.md 5). */
import {
  chain,
  replaceScripts,
  scriptValue,
  type Awaitable,
  type ScriptContext,
  type ScriptValue,
} from '../../scripting/index.js';

/** No name that somebody would give to something else. */
const STATEMENT = 'svcCypherStatement';

/**
 * What the function `cypher` answers for a statement, whose scripts are replaced before: with its rights, limits and errors, that of databases which do not
 * speak Cypher included.
 */
export function cypherRows(query: string, context: ScriptContext): Awaitable<ScriptValue> {
  return chain(replaceScripts(query.trim(), context), (text) => {
    const constants = new Map(context.constants);
    constants.set(STATEMENT, text);
    return scriptValue(`cypher(${STATEMENT})`, { ...context, constants });
  });
}
