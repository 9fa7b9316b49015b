import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { happened, whoOf } from '../../../shared/happened.js';
import { RestError } from '../errors.js';
import type { CommandCaller } from './command.js';
import { maintenanceCommand } from './table.js';

/** What of a command's parameters is told as an event: others may hold values of objects, or credentials in addresses. */
const TOLD: ReadonlySet<string> = new Set([
  ...['mode', 'type', 'newType', 'relType', 'action', 'command', 'id', 'dryRun', 'background'],
  ...['removeUnused', 'allNodes', 'allRels', 'extendExistingApp'],
]);

function toldOf(input: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, TOLD.has(key) && typeof value !== 'object' ? value : '...']),
  );
}

/** Whether the answer of a command says when it began and ended. */
export function tellsTimes(name: string): boolean {
  const command = maintenanceCommand(name);
  return typeof command === 'object' && command.tellsTimes === true;
}

/** Runs a command. Throws `RestError` 403 for who is no administrator, 404, 501, 400 without input, and what the command throws. */
export async function runCommand(
  name: string,
  caller: CommandCaller,
  input: JsonObject | undefined,
): Promise<readonly JsonValue[]> {
  // A permission for the endpoint alone is not enough (docs/interface/security.md 10).
  if (!caller.actor.isAdmin) throw new RestError(403, 'Only administrators may run maintenance commands.');
  const command = maintenanceCommand(name);
  if (command === undefined) throw new RestError(404, `There is no maintenance command ${name}.`);
  if (command === 'missing') {
    throw new RestError(501, `This version of svc does not have the maintenance command ${name} yet.`);
  }
  if (input === undefined) throw new RestError(400, 'The parameters of a command are one JSON object.');
  happened('Maintenance', name, { ...whoOf(caller.actor), parameters: toldOf(input) });
  return command.run(caller, input);
}
