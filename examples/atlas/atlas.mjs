#!/usr/bin/env node
/** An atlas of the world in a running svc: defines its types over REST and loads 250 countries and 135,000 cities. */
import { parseArgs } from 'node:util';
import { AtlasClient, AtlasError } from './client.mjs';
import { DataError, readAtlas } from './data.mjs';
import { defineModel, loadAtlas } from './load.mjs';
import { types } from './model.mjs';

const HELP = `Usage: npm run example:atlas -- [options]

  --url URL            the server; default: http://localhost:8082
  --user NAME          an administrator; default: admin
  --password PASSWORD  default: admin
  --limit N            load only the N most populous cities
  --help               print this
`;

function readOptions() {
  const string = (value) => ({ type: 'string', default: value });
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        url: string('http://localhost:8082'),
        user: string('admin'),
        password: string('admin'),
        limit: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }));
  } catch (error) {
    throw new AtlasError(`${error.message.split('\n')[0].replace(/\.$/, '')}; try --help`, { cause: error });
  }
  if (!/^https?:\/\//.test(values.url) || !URL.canParse(values.url)) {
    throw new AtlasError(`--url must be the server's address, such as http://localhost:8082, and not '${values.url}'`);
  }
  if (values.limit !== undefined && !/^\d+$/.test(values.limit)) {
    throw new AtlasError(`--limit must be a number of cities, not '${values.limit}'`);
  }
  return { ...values, limit: values.limit === undefined ? Infinity : Number(values.limit) };
}

async function main() {
  const startedAt = performance.now();
  const options = readOptions();
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const client = new AtlasClient(options);
  const defined = await defineModel(client);
  console.log(defined === 0 ? 'types and relationships: all there' : `types and relationships: ${defined} defined`);

  const added = await loadAtlas(client, readAtlas(options.limit));
  const number = new Intl.NumberFormat('en');
  const rows = [...types.map((t) => t.name), 'CountryBORDERSCountry'];
  for (const type of rows) {
    const label = type === 'CountryBORDERSCountry' ? 'borders' : type;
    const [total, fresh] = [number.format(await client.count(type)), number.format(added[label])];
    console.log(`${label.padEnd(10)}${total.padStart(9)}${added[label] === 0 ? '' : `  (${fresh} new)`}`);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(
    `done in ${seconds} s; have a look: ${client.url}/svc/rest/City/card?_sort=population&_order=desc&_pageSize=3`,
  );
}

try {
  await main();
} catch (error) {
  if (!(error instanceof AtlasError || error instanceof DataError)) throw error;
  console.error(`atlas: ${error.message}`);
  process.exitCode = 1;
}
