import { build } from 'vite';

/**
 * Styles of an area of the Admin UI count while it is shown (`data-area`, frame/frame.tsx): areas are loaded one after the other and stay, and a
 * name of a class in one is none of the others' business. Windows and menus lie beside the area in the document, hence the attribute of the root.
 */
const ofAreas = {
  name: 'styles-of-areas',
  enforce: 'pre',
  transform(code, id) {
    const [, area] = /\/src\/ui\/admin\/([\w-]+)\/(?:[\w-]+\/)*[\w-]+\.css$/.exec(id) ?? [];
    if (area === undefined || area === 'frame' || area === 'parts') return undefined;
    return { code: `[data-area='${area}'] {\n${code}\n}\n`, map: null };
  },
};

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
    plugins: [ofAreas],
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
