import { choice, group, integer, string } from '../../setting.js';

export const deploymentSettings = group('server/Deployment', {
  'deployment.roots': string(
    'deployment',
    'Folders of the server, besides data.exchange.path, the folder for temporary files and those of file-import, that deployments read and write; separated by semicolons or commas',
  ),
  'deployment.schema.format': choice(
    'tree',
    ['tree', 'file'],
    'Exports have code in files of its own, or within schema.json',
  ),
  'deploymentservlet.filegroup.name': string(
    '',
    'Group of the system that exported files are given to, which may write them',
  ),
  'deployment.data.import.nodes.batchsize': integer(1000, 'Nodes that a data import writes in one transaction', {
    min: 1,
  }),
  'deployment.data.import.relationships.batchsize': integer(
    1000,
    'Relationships that a data import writes in one transaction',
    {
      min: 1,
    },
  ),
  'deployment.data.export.nodes.batchsize': integer(
    100,
    'Objects that a data export from Neo4j reads at once; the embedded database reads up to 4096',
    {
      min: 1,
    },
  ),
});
