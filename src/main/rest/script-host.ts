/** What this room does for scripts, which lie to its right. */
import type { ScriptHost } from '../scripting/index.js';
import type { RestServices } from './context.js';
import { runCommand } from './maintenance/run.js';
import { environment } from './resources/system/environment.js';
import { restSettings } from './settings.js';

/** `services` is asked once scripts run: the scripting room is one of them. */
export function createScriptHost(services: () => RestServices): ScriptHost {
  return {
    environment: () => environment(services(), restSettings(services().config)),
    maintenance: (command, input, caller) => runCommand(command, { ...caller, services: services() }, input),
    sendEvent: (name, data, recipients) => services().live.send(name, data, recipients),
    geocode: async (address) => services().geocoder?.find(address),
  };
}
