import { clearDatabase } from './database/clear-database.js';
import { rebuildIndex } from './database/rebuild-index.js';
import { flushCaches } from './instance/flush-caches.js';
import { changeNodePropertyKey } from './objects/change-node-property-key.js';
import { copyRelationshipProperties } from './objects/copy-relationship-properties.js';
import { fixNodeProperties } from './objects/fix-node-properties.js';
import { setNodeProperties } from './objects/set-node-properties.js';
import { setRelationshipProperties } from './objects/set-relationship-properties.js';
import type { MaintenanceCommand } from './command.js';

/** Commands on the whole database; a new one is one file and one line here. */
export const DATABASE_COMMANDS: readonly MaintenanceCommand[] = [
  changeNodePropertyKey,
  clearDatabase,
  copyRelationshipProperties,
  fixNodeProperties,
  flushCaches,
  rebuildIndex,
  setNodeProperties,
  setRelationshipProperties,
];
