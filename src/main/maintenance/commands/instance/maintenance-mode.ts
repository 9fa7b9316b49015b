/** Switches the maintenance mode (contract, Maintenance; docs/interface/operations.md 5.4). */
import { SchemaError } from '../../../schema/index.js';
import type { MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';

const NAME = 'maintenanceMode';
const ACTIONS = ['enable', 'disable'] as const;

export const maintenanceMode: MaintenanceCommand = {
  name: NAME,
  async run({ maintenanceMode: mode }, input) {
    const parameters = new Parameters(NAME, input);
    parameters.only('action');
    const action = parameters.word('action', ACTIONS);
    if (action === undefined)
      throw new SchemaError(`${NAME} needs the parameter "action".`, [
        { property: 'action', token: 'must_not_be_empty' },
      ]);
    const enabled = action === 'enable';
    const formerUrl = mode.baseUrl;
    await mode.switch(enabled);
    return [{ enabled, baseUrl: mode.baseUrl, formerUrl }];
  },
};
