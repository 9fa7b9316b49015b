import { boolean, group, integer, longText, path } from '../../setting.js';

const PORT = { min: 0, max: 65_535 } as const;

export const maintenanceSettings = group('server/Maintenance', {
  'maintenance.enabled': boolean(false, 'The server is in maintenance mode', { hidden: true }),
  'maintenance.application.http.port': integer(8182, 'HTTP port of the application during maintenance', PORT),
  'maintenance.application.https.port': integer(8183, 'HTTPS port of the application during maintenance', PORT),
  'maintenance.application.ssh.port': integer(8122, 'SSH port during maintenance', { ...PORT, notRead: true }),
  'maintenance.application.ftp.port': integer(8121, 'FTP port during maintenance', { ...PORT, notRead: true }),
  'maintenance.message': longText(
    'We are working on this site. Please come back in a little while.',
    'Text of the maintenance page, HTML allowed',
  ),
  'maintenance.resource.path': path('', 'Folder of an own maintenance page; empty: the page with the message'),
});
