import { boolean, group, password } from '../../setting.js';

export const setupSettings = group('general/Setup', {
  'configservlet.enabled': boolean(true, 'The Configuration Interface answers at /svc/config', { restart: true }),
  'adminui.enabled': boolean(true, 'The Admin UI answers at /svc/', { restart: true }),
  'setup.wizard.completed': boolean(false, 'The initial configuration is complete', { hidden: true }),
  'setup.token': password('', 'Token that the initial configuration asks for; empty: a new one at each start', {
    hidden: true,
  }),
});
