import { placeOfScript, storedNotions } from '../../../scripting/index.js';
import type { MigrationStep } from '../step.js';

/** Notion properties that need attention (contract, Startup migration mode). */
export const notions: MigrationStep = {
  name: 'notions',
  version: '0.1.0',
  kind: 'report',
  about: 'formats of Notion properties',
  async run({ graph, schemas, finding, checkpoint }) {
    await graph.read(
      async (tx) => {
        for await (const { node, column, message } of storedNotions(tx, schemas.schema)) {
          finding(`notion ${placeOfScript(node, 'format')}:1:${String(column)}: ${message}`);
          await checkpoint(1);
        }
      },
      { timeout: 0 },
    );
  },
};
