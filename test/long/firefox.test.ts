/** Tests of the script for browsers once more, in Firefox (docs/interface/pages.md 7.4). Without it they are skipped, and a line says so. */
process.env['TEST_BROWSER'] = 'firefox';

await import('../pages/actions/script-actions.test.js');
await import('../pages/actions/script-follow.test.js');
await import('../pages/actions/script-parts.test.js');
