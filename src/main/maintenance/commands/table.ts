import { analyzeSchema } from './database/analyze-schema.js';
import { clearDatabase } from './database/clear-database.js';
import { createLabels } from './database/create-labels.js';
import { deleteSpatialIndex } from './database/delete-spatial-index.js';
import { migrate } from './database/migrate.js';
import { rebuildIndex } from './database/rebuild-index.js';
import { setUuid } from './database/set-uuid.js';
import { flushCaches } from './instance/flush-caches.js';
import { maintenanceMode } from './instance/maintenance-mode.js';
import { manageThreads } from './instance/manage-threads.js';
import { changeNodePropertyKey } from './objects/change-node-property-key.js';
import { extractText } from './objects/extract-text.js';
import { copyRelationshipProperties } from './objects/copy-relationship-properties.js';
import { fixNodeProperties } from './objects/fix-node-properties.js';
import { setNodeProperties } from './objects/set-node-properties.js';
import { setRelationshipProperties } from './objects/set-relationship-properties.js';
import type { MaintenanceCommand } from './command.js';

/** Commands on the whole database; a new one is one file and one line here. */
export const DATABASE_COMMANDS: readonly MaintenanceCommand[] = [
  analyzeSchema,
  changeNodePropertyKey,
  clearDatabase,
  copyRelationshipProperties,
  createLabels,
  deleteSpatialIndex,
  extractText,
  fixNodeProperties,
  flushCaches,
  maintenanceMode,
  manageThreads,
  migrate,
  rebuildIndex,
  setNodeProperties,
  setRelationshipProperties,
  setUuid,
];
