/** What the Admin UI keeps, `application-configuration-data.json`. */
import { listSection, textOf } from '../list-section.js';

export const configurationData = listSection({
  title: 'Application Configuration Data',
  file: 'application-configuration-data.json',
  type: 'ApplicationConfigurationDataNode',
  keys: ['id', 'name', 'configType', 'content'],
  sortedBy: ({ configType, name }) => [textOf(configType), textOf(name)],
  style: 'lines',
  rights: 'owner and grantees',
});
