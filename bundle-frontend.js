import { build } from 'vite';

const ENTRIES = ['frontend', ...['css', 'toast', 'template'].map((name) => `modules/reload-target-handlers/${name}`)];

/**
 * Makes the scripts for browsers of src/frontend. Each entry is one file that pages can name, without a hash: its address is part of the
 * interface, and browsers ask whether it has changed.
 */
await build({
  root: 'src/frontend',
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir: '../../dist/src/frontend',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    lib: { entry: Object.fromEntries(ENTRIES.map((name) => [name, `${name}.ts`])), formats: ['es'] },
    minify: true,
    rollupOptions: { output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' } },
  },
});
