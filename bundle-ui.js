import { build } from 'vite';

/**
 * Makes the pages of src/ui: a folder each, with an `index.html`. Names of scripts and styles hold the hash of their content, so browsers keep
 * them for good.
 */
for (const { name, base, assetsDir } of [
  { name: 'admin', base: './', assetsDir: 'ui' },
  { name: 'config', base: '/svc/config/', assetsDir: 'assets' },
]) {
  await build({
    root: `src/ui/${name}`,
    base,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: `../../../dist/src/ui/${name}`,
      assetsDir,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      // Nothing inline: the policy of the pages takes files of this server alone.
      assetsInlineLimit: 0,
      rollupOptions: {
        onwarn(warning, tell) {
          // Packages say where a server would render them, which this one does not.
          if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') tell(warning);
        },
      },
    },
  });
}
