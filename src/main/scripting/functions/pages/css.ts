/** Style sheets as objects, and classes of elements (docs/interface/pages.md 8.4). */
import type { CssRule, CssRulesJob } from '../../../../workers/html/css-rules.js';
import { SchemaError, type ObjectTransaction, type Type } from '../../../schema/index.js';
import type { GraphNode } from '../../../graph/index.js';
import { ScriptError } from '../../language/errors.js';
import { wholeContent } from '../../run/files/file-content.js';
import type { FunctionCategory } from '../../run/function/function.js';
import { ofObjects } from '../../run/function/pairs.js';
import { textOf } from '../../language/text.js';

const MOST_RULES = 20_000;
const DEEPEST = 20;

export const cssFunctions: FunctionCategory = {
  title: 'Pages',
  functions: [
    ofObjects(
      {
        name: 'importCss',
        signature: 'importCss(file)',
        meaning:
          'Makes objects of the rules of a style sheet: a CssRule each, with its selectors, declarations and the rules in it; true. ' +
          `At most 16 MB, and ${String(MOST_RULES)} rules, selectors and declarations.`,
        example: "importCss(first(find('File', 'name', 'site.css')))",
        min: 1,
        max: 1,
      },
      ['File'],
      async ([file], _rest, context) => {
        if (file === undefined) return null;
        const { run, actor, access } = context;
        const css = (await wholeContent(file, context)).toString('utf8');
        const job: CssRulesJob = { css, most: MOST_RULES, deepest: DEEPEST };
        const outcome = await run.parts.threads.run<readonly CssRule[]>('html/css-rules', job, 'importCss()', context);
        if ('problem' in outcome) throw new ScriptError(422, `importCss() cannot take this file: ${outcome.problem}.`);
        await new Rules(await run.transaction.objects(actor, access)).create(outcome.value);
        return true;
      },
    ),
    ofObjects(
      {
        name: 'hasCssClass',
        signature: 'hasCssClass(element, classes)',
        meaning: 'Whether an element has all of these classes, which have blanks between them.',
        example: "hasCssClass(this, 'card wide')",
        min: 2,
        max: 2,
      },
      ['DOMElement'],
      async ([element], [classes = null], context) => {
        if (element === undefined || classes === null) return null;
        const { properties } = await context.run.entities.fresh(element);
        const own = new Set(String(properties['_html_class'] ?? '').split(/\s+/));
        const asked = textOf(classes, context)
          .split(/\s+/)
          .filter((one) => one !== '');
        return asked.every((one) => own.has(one));
      },
    ),
  ],
};

/** Rules of one style sheet, whose selectors they share. */
class Rules {
  readonly #selectors = new Map<string, GraphNode>();

  constructor(private readonly objects: ObjectTransaction) {}

  async create(rules: readonly CssRule[], parent?: GraphNode): Promise<void> {
    const { objects } = this;
    for (const { text, kind, selectors, declarations, rules: inner } of rules) {
      await objects.breathe();
      const own: string[] = [];
      for (const one of selectors) own.push((await this.#selector(one)).id);
      const rule = await objects.create(this.#type('CssRule'), {
        ...{ cssText: text, ruleType: kind },
        ...(own.length > 0 ? { selectors: [...new Set(own)] } : {}),
        ...(parent === undefined ? {} : { parentRule: parent.id }),
      });
      for (const name of declarations) {
        await objects.create(this.#type('CssDeclaration'), { name, rule: rule.id });
      }
      await this.create(inner, rule);
    }
  }

  async #selector(name: string): Promise<GraphNode> {
    const known = this.#selectors.get(name);
    if (known !== undefined) return known;
    const made = await this.objects.create(this.#type('CssSelector'), { name });
    this.#selectors.set(name, made);
    return made;
  }

  #type(name: string): Type {
    const type = this.objects.schema.type(name);
    if (type === undefined) throw new SchemaError(`There is no type ${name}.`);
    return type;
  }
}
