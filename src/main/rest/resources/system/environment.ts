/** `/_env`: what is running (docs/interface/rest.md 9.4). */
import { stat } from 'node:fs/promises';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import type { JsonObject } from '../../../../shared/json/index.js';
import type { Resolver, RestServices, RestSettings } from '../../context.js';
import { sendValue } from '../../answer/envelope.js';

const EXPECTED_MODE = 0o600;

export const resolveEnvironment: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== '_env') return undefined;
  return {
    signature: '_env',
    allow: ['GET', 'OPTIONS'],
    verbs: {
      async GET(request) {
        const { actor, services, settings, startedAt } = request;
        const known = await environment(services, settings);
        // Why a service has failed is for who can do something about it.
        const shown = actor.isAdmin ? { ...known, services: servicesOf(services) } : known;
        await sendValue(request, shown, 1, performance.now() - startedAt);
      },
    },
  };
};

function servicesOf({ running }: RestServices): JsonObject[] {
  return running
    .list()
    .map(({ name, state, since, problem }) => ({ name, state, since, ...(problem === undefined ? {} : { problem }) }));
}

function modeText(mode: number): string {
  return [...'rwxrwxrwx'].map((c, i) => ((mode >> (8 - i)) & 1 ? c : '-')).join('');
}

/** What is running, for `/_env` and scripts. */
export async function environment(services: RestServices, settings: RestSettings): Promise<JsonObject> {
  const { config, graph, version, startedAt } = services;
  const mode = await stat(config.confPath).then(
    (s) => s.mode & 0o777,
    () => undefined,
  );
  const memory = process.memoryUsage();
  return {
    modules: {},
    components: { svc: { version } },
    classPath: '',
    instanceName: config.get('application.instance.name'),
    instanceStage: config.get('application.instance.stage'),
    edition: 'Community',
    licensee: 'Unlicensed',
    hostId: '',
    startDate: startedAt.toISOString(),
    endDate: null,
    databaseService: graph.engine,
    resultCountSoftLimit: settings.softLimit,
    maintenanceModeActive: services.maintenanceMode.enabled,
    validUUIDv4Regex: settings.write.idPattern.source,
    legacyRequestParameters: settings.legacyParameters,
    isDeploymentActive: services.deployments.areActive,
    debuggerEnabled: false,
    // For applications that remind users of passwords which will have to be changed soon; days.
    passwordPolicy: {
      forceChange: config.get('security.passwordpolicy.forcechange'),
      maxAge: config.get('security.passwordpolicy.maxage'),
      remindTime: config.get('security.passwordpolicy.remindtime'),
    },
    dashboardInfo: {
      configFileInfo: {
        actualPermissions: mode === undefined ? null : modeText(mode),
        expectedPermissions: modeText(EXPECTED_MODE),
        permissionsOk: mode === undefined || mode === EXPECTED_MODE,
      },
      runtimeInfo: {
        maxMemory: totalmem(),
        freeMemory: memory.heapTotal - memory.heapUsed,
        totalMemory: memory.rss,
        availableProcessors: availableParallelism(),
        // Of 1, 5 and 15 minutes.
        loadAverage: loadavg(),
      },
      allowedUUIDFormat: config.get('application.uuid.allowedformats'),
      createCompactUUIDs: settings.write.compactIds,
    },
  };
}
