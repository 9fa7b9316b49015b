/** Steps that look at every script of the database, and at those in files that are templates (docs/interface/operations.md 9.5). */
import {
  analyseTemplate,
  placeOfScript,
  scriptsOf,
  storedScripts,
  type Analysis,
  type AnalysisOptions,
} from '../../../scripting/index.js';
import { END, type StepWork } from '../step.js';

/** Objects that are rewritten in one transaction. */
const BATCH = 50;

/** Looks at them for one matter. In `apply`, and taken back in a dry run, what the analysis is certain of is rewritten. */
export async function lookAtScripts(work: StepWork, matter: NonNullable<AnalysisOptions['matter']>): Promise<void> {
  const options: AnalysisOptions = { userFunctions: work.schemas.schema.functions, matter };
  await rewriteObjects(work, options, await lookAtObjects(work, options));
  await lookAtFiles(work, options);
}

/** Tells what is found; answers the ids of objects with something to rewrite. */
async function lookAtObjects(work: StepWork, options: AnalysisOptions): Promise<readonly string[]> {
  const ids = new Set<string>();
  const { schema } = work.schemas;
  await work.graph.read(
    async (tx) => {
      for await (const script of storedScripts(tx, schema)) {
        const analysis = script.analyse(options);
        tell(work, analysis, placeOfScript(script.node, script.key));
        if (analysis.text !== script.source) ids.add(script.node.id);
        await work.checkpoint(1);
      }
    },
    { timeout: 0 },
  );
  return [...ids];
}

/** As they are then: somebody may have changed them meanwhile. */
async function rewriteObjects(work: StepWork, options: AnalysisOptions, ids: readonly string[]): Promise<void> {
  const { schema } = work.schemas;
  for (let from = 0; from < ids.length; from += BATCH) {
    await work.transaction(END, async (objects) => {
      for (const node of await objects.tx.nodes(ids.slice(from, from + BATCH))) {
        if (node === undefined) continue;
        const scripts = scriptsOf(node, schema).map((one) => ({ ...one, text: one.analyse(options).text }));
        const changed = scripts.filter(({ source, text }) => text !== source);
        if (changed.length > 0) {
          await objects.update(node, Object.fromEntries(changed.map(({ key, text }) => [key, text])));
        }
      }
    });
    await work.checkpoint();
  }
}

async function lookAtFiles(work: StepWork, options: AnalysisOptions): Promise<void> {
  for await (const template of work.files.templateSources.all()) {
    await work.checkpoint(1);
    if (template.source === undefined) {
      work.finding(`${template.path}: ${template.problem}`);
      continue;
    }
    const analysis = analyseTemplate(template.source, options);
    tell(work, analysis, template.path);
    // What is stored outside of the database cannot be taken back.
    if (analysis.text === template.source || work.mode === 'dry-run') continue;
    await work.files.templateSources.replace(template, analysis.text, (publish) => work.transaction(END, publish));
  }
}

function tell(work: StepWork, { findings }: Analysis, where: string): void {
  for (const { matter, position, message, isRewritten } of findings) {
    const line = `${matter} ${where}:${String(position.line)}:${String(position.column)}: ${message}`;
    if (isRewritten) work.change(line);
    else work.finding(line);
  }
}
