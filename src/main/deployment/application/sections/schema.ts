/** The schema: `schema/schema.json`, with its scripts beside it (docs/interface/deployment.md 6). */
import { SchemaError } from '../../../schema/index.js';
import { DeploymentError } from '../../common/errors.js';
import { applySchema } from '../../schema/apply/apply.js';
import { parseSchema, writeSchema } from '../../schema/schema-document.js';
import type { ExportSource } from '../../tree/source.js';
import { fileNamed } from '../../tree/target.js';
import type { Section } from '../section.js';

const FOLDER = 'schema';
const FILE = `${FOLDER}/schema.json`;
/** Folders within each other: type, kind of script. */
const DEEPEST = 3;

export const schema: Section = {
  title: 'Schema',
  write: async ({ context, tx, schema: compiled, out }) => {
    const { text, code } = await writeSchema(tx, compiled, context.config.get('deployment.schema.format'));
    const paths = [...code.keys()].map((path) => {
      for (const name of path.split('/')) fileNamed(name, 'The script');
      return `${FOLDER}/${path}`;
    });
    await out.keepOnly(FOLDER, [FILE, `${FOLDER}/_globalMethods`, ...paths]);
    await out.folder(`${FOLDER}/_globalMethods`);
    await out.text(FILE, text);
    for (const [path, source] of code) await out.text(`${FOLDER}/${path}`, source);
  },
  read: async ({ source, extend, report }) => {
    const text = await source.text(FILE);
    if (text === undefined) return undefined;
    const code = await codeIn(source);
    const { model, notices, missingFiles } = await inFile(() => parseSchema(text, code));
    report.warnOfAll('Missing Schema file(s)', missingFiles);
    report.warnOfAll('Schema', notices);
    return {
      define: async ({ objects, principals, report: now }) => {
        const left = await inFile(() => applySchema(objects, model, extend ? 'extend' : 'replace', principals));
        now.warnOfAll('Schema', left);
      },
    };
  },
};

/** The scripts beside the document, by their path. */
async function codeIn(source: ExportSource): Promise<Map<string, string>> {
  const code = new Map<string, string>();
  const walk = async (folder: string, depth: number): Promise<void> => {
    for (const { name, isFolder } of (await source.list(`${FOLDER}${folder}`)) ?? []) {
      const path = `${folder}/${name}`;
      if (isFolder && depth < DEEPEST) await walk(path, depth + 1);
      else if (!isFolder && depth > 0) code.set(path.slice(1), (await source.text(FOLDER + path)) ?? '');
    }
  };
  await walk('', 0);
  return code;
}

async function inFile<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const details = error.tokens.map(({ detail }) => detail).filter((detail) => typeof detail === 'string');
    throw new DeploymentError([`${FILE}: ${error.message}`, ...details].join(' '), 'source', { cause: error });
  }
}
