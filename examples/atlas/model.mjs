/**
 * The types of the atlas and what relates them, as the bodies that define them over REST.
 *
 * Three views: `public` is what a plain GET shows (values only, so that a page of countries does not drag their cities
 * along), `card` is the little that is worth showing inside something else, `full` adds the related objects.
 */

const CODE = { propertyType: 'String', unique: true, indexed: true, notNull: true };
const PLACE = [
  // Any type with these two names can be searched by distance.
  { name: 'latitude', propertyType: 'Double', indexed: true, format: '[-90,90]' },
  { name: 'longitude', propertyType: 'Double', indexed: true, format: '[-180,180]' },
];

const view = (name, ...properties) => ({ name, nonGraphProperties: properties.join(', ') });
const names = (properties) => properties.map((p) => p.name);

function type(name, properties, { card, full }) {
  return {
    name,
    // On the API page (/svc/openapi/ui/).
    includeInOpenAPI: true,
    tags: ['atlas'],
    schemaProperties: properties,
    schemaViews: [
      view('public', ...names(properties)),
      view('card', ...card),
      view('full', 'id', 'type', 'name', ...names(properties), ...full),
    ],
  };
}

export const types = [
  type('Region', [{ name: 'code', ...CODE }], { card: ['code'], full: [] }),
  type('Language', [{ name: 'code', ...CODE, format: '[a-z]{3}' }], { card: ['code', 'name'], full: [] }),
  type(
    'Currency',
    [
      { name: 'code', ...CODE, format: '[A-Z]{3}' },
      { name: 'symbol', propertyType: 'String' },
    ],
    {
      card: ['code', 'name', 'symbol'],
      full: [],
    },
  ),
  type(
    'Country',
    [
      { name: 'code', ...CODE, format: '[A-Z]{2}' },
      { name: 'code3', ...CODE, format: '[A-Z]{3}' },
      { name: 'officialName', propertyType: 'String' },
      { name: 'nativeNames', propertyType: 'StringArray' },
      { name: 'flag', propertyType: 'String' },
      { name: 'subregion', propertyType: 'String', indexed: true },
      { name: 'area', propertyType: 'Double', indexed: true },
      { name: 'topLevelDomains', propertyType: 'StringArray' },
      { name: 'status', propertyType: 'Enum', format: 'officially-assigned,user-assigned' },
      { name: 'independent', propertyType: 'Boolean', indexed: true },
      { name: 'landlocked', propertyType: 'Boolean', indexed: true },
      { name: 'unMember', propertyType: 'Boolean' },
      ...PLACE,
    ],
    {
      card: ['code', 'name', 'flag'],
      // Not `cities`: there are up to 17,000 of them. They are a GET of their own, /Country/<id>/cities.
      full: ['region', 'languages', 'currencies', 'borders', 'capitals'],
    },
  ),
  type(
    'City',
    [
      { name: 'geonameId', propertyType: 'Long', unique: true, indexed: true, notNull: true },
      { name: 'population', propertyType: 'Long', indexed: true },
      { name: 'kind', propertyType: 'String', indexed: true },
      { name: 'adminCode', propertyType: 'String' },
      ...PLACE,
    ],
    { card: ['name', 'population', 'country'], full: ['country', 'capitalOf'] },
  ),
];

/** `forward` is the property on the source type, `backward` the one on the target type. */
function relation(source, relationshipType, target, [sourceMultiplicity, targetMultiplicity], forward, backward) {
  return {
    source,
    target,
    body: {
      relationshipType,
      sourceMultiplicity,
      targetMultiplicity,
      targetJsonName: forward,
      sourceJsonName: backward,
    },
  };
}

export const relations = [
  relation('Region', 'CONTAINS', 'Country', ['1', '*'], 'countries', 'region'),
  relation('Country', 'SPEAKS', 'Language', ['*', '*'], 'languages', 'countries'),
  relation('Country', 'USES', 'Currency', ['*', '*'], 'currencies', 'countries'),
  relation('Country', 'BORDERS', 'Country', ['*', '*'], 'borders', 'borderedBy'),
  relation('Country', 'HAS_CITY', 'City', ['1', '*'], 'cities', 'country'),
  // Several, since South Africa has three.
  relation('Country', 'HAS_CAPITAL', 'City', ['1', '*'], 'capitals', 'capitalOf'),
];
