/**
 * Brings a server to hold the atlas. Everything first looks at what is there and adds only what is missing, so a run
 * that was interrupted is finished by the next one, and a run on a complete atlas changes nothing.
 */
import { AtlasError } from './client.mjs';
import { relations, types } from './model.mjs';
import { Progress } from './progress.mjs';

/** Objects of one POST, which is one transaction. */
const BATCH = 1000;
/** POSTs on their way at once: one is being sent and one prepared while the server works on another. */
const PARALLEL = 3;
/** Objects of one page when reading what is there. */
const PAGE = 10_000;

/** Types and relationships. Returns how many definitions were added. */
export async function defineModel(client) {
  const ids = new Map();
  for (const { result } of await Promise.all(
    types.map((t) => client.get('/SchemaNode', { name: t.name, _pageSize: 1 })),
  )) {
    for (const node of result) ids.set(node.name, node.id);
  }
  const present = types.filter((t) => ids.has(t.name));
  for (const { name, schemaProperties } of present) {
    // An interrupted run leaves all of the types or none (one POST): a type without these is somebody else's.
    const { result } = await client.get(`/_schema/${name}/all`);
    const known = new Set(result.map((p) => p.jsonName));
    const missing = schemaProperties.filter((p) => !known.has(p.name)).map((p) => p.name);
    if (missing.length > 0) {
      throw new AtlasError(
        `the server has a type ${name} that is not the atlas's (no ${missing.join(', ')}): use another server`,
      );
    }
  }
  const wanted = types.filter((t) => !ids.has(t.name));
  if (wanted.length > 0) {
    const created = await client.create('SchemaNode', wanted);
    wanted.forEach((t, i) => ids.set(t.name, created[i]));
  }

  const { result } = await client.get('/SchemaRelationshipNode/ui', { _pageSize: PAGE });
  const key = (r) => `${r.sourceId} ${r.relationshipType} ${r.targetId}`;
  const known = new Set(result.map(key));
  const links = relations
    .map((r) => ({ sourceId: ids.get(r.source), targetId: ids.get(r.target), ...r.body }))
    .filter((r) => !known.has(key(r)));
  if (links.length > 0) await client.create('SchemaRelationshipNode', links);
  return wanted.length + links.length;
}

/** All objects of a type by the value of `key`, which the type's `public` view shows. */
async function existing(client, type, key) {
  const found = new Map();
  for (let page = 1; ; page++) {
    const { result } = await client.get(`/${type}`, { _sort: key, _pageSize: PAGE, _page: page });
    for (const object of result) found.set(object[key], object.id);
    if (result.length < PAGE) return found;
  }
}

/** Source ids of the cities that are there, read along their index: each page begins behind the last one. */
async function existingCities(client) {
  const found = new Set();
  for (let from = 0; ;) {
    const { result } = await client.get('/City', { geonameId: `[${from} TO ]`, _sort: 'geonameId', _pageSize: PAGE });
    for (const city of result) found.add(city.geonameId);
    if (result.length < PAGE) return found;
    from = result.at(-1).geonameId + 1;
  }
}

/** Creates objects in batches, a few on their way at once. */
async function createAll(client, type, label, objects) {
  if (objects.length === 0) return;
  const progress = new Progress(label, objects.length);
  const batches = [];
  for (let i = 0; i < objects.length; i += BATCH) batches.push(objects.slice(i, i + BATCH));
  let failed = false;
  const worker = async () => {
    for (let batch = batches.shift(); batch !== undefined && !failed; batch = batches.shift()) {
      await client.create(type, batch);
      progress.add(batch.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL }, worker));
  } catch (error) {
    failed = true;
    progress.stop();
    throw error;
  }
}

/** Creates those of `rows` that are not there yet; returns all objects of the type by key, and how many were added. */
async function loadByCode(client, type, label, rows) {
  const before = await existing(client, type, 'code');
  const missing = rows.filter((row) => !before.has(row.code));
  await createAll(client, type, label, missing);
  const ids = missing.length === 0 ? before : await existing(client, type, 'code');
  return { ids, added: missing.length };
}

/** Loads the atlas of `readAtlas`; returns how many objects of each kind were added. */
export async function loadAtlas(client, atlas) {
  const regions = await loadByCode(client, 'Region', 'regions', atlas.regions);
  const languages = await loadByCode(client, 'Language', 'languages', atlas.languages);
  const currencies = await loadByCode(client, 'Currency', 'currencies', atlas.currencies);
  const countries = await loadByCode(client, 'Country', 'countries', atlas.countries);
  return {
    Region: regions.added,
    Language: languages.added,
    Currency: currencies.added,
    Country: countries.added,
    borders: await loadBorders(client, atlas, countries.ids),
    City: await loadCities(client, atlas.cities, countries.ids),
  };
}

/** Borders lead from country to country, so they come when all countries are there: as relationships of their own. */
async function loadBorders(client, atlas, countryIds) {
  const code2 = new Map(atlas.countries.map((c) => [c.code3, c.code]));
  const { result } = await client.get('/CountryBORDERSCountry', { _pageSize: PAGE });
  const known = new Set(result.map((r) => `${r.sourceId} ${r.targetId}`));
  const missing = atlas.borders
    .map(({ from, to }) => ({ sourceId: countryIds.get(code2.get(from)), targetId: countryIds.get(code2.get(to)) }))
    .filter((r) => !known.has(`${r.sourceId} ${r.targetId}`));
  await createAll(client, 'CountryBORDERSCountry', 'borders', missing);
  return missing.length;
}

async function loadCities(client, cities, countryIds) {
  const known = await existingCities(client);
  const missing = cities
    .filter((c) => !known.has(c.geonameId))
    // The uuid of a related object links it: no search for its code, 135,000 times.
    .map(({ country, capitalOf, ...city }) => ({
      ...city,
      country: countryIds.get(country),
      ...(capitalOf === undefined ? {} : { capitalOf: countryIds.get(capitalOf) }),
    }));
  await createAll(client, 'City', 'cities', missing);
  return missing.length;
}
