import { group, integer, password, string } from '../../setting.js';

export const backupSettings = group('server/Backup', {
  'backup.place': string('', 'Where backups lie: a folder, or s3://bucket/prefix'),
  'backup.schedule': string(
    '',
    'When a backup is made, as a cron expression of six fields; empty: only by svc backup',
    {
      restart: true,
    },
  ),
  'backup.keep.days': integer(30, 'Days after which a scheduled backup removes older ones; 0: it removes none', {
    min: 0,
  }),
  'backup.s3.endpoint': string('', 'Address of an S3 server other than that of Amazon'),
  'backup.s3.region': string('', 'Region of the bucket'),
  'backup.s3.accesskey': password('', 'Access key for the bucket'),
  'backup.s3.secretkey': password('', 'Secret key for the bucket'),
});
