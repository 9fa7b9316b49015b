/** Documents of GPX (versions 1.0 and 1.1) as maps. */
import { doubleOf, dateOf } from '../../language/as-number.js';
import { textIn, type XmlElement } from '../../language/formats/xml-document.js';
import { Turns, type Steps } from '../../language/steps.js';
import type { ScriptMap, ScriptValue } from '../../language/values.js';
import { childrenOf, localName } from './xml-names.js';

/** Names of elements that have another name in maps; others keep theirs. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['ele', 'altitude'],
  ['cmt', 'comment'],
  ['desc', 'description'],
  ['src', 'source'],
  ['sym', 'symbol'],
  ['magvar', 'magneticVariation'],
  ['geoidheight', 'geoidHeight'],
  ['sat', 'satellites'],
]);
const NUMBERS: ReadonlySet<string> = new Set([
  ...[
    'ele',
    'magvar',
    'geoidheight',
    'sat',
    'hdop',
    'vdop',
    'pdop',
    'ageofdgpsdata',
    'dgpsid',
    'number',
    'speed',
    'course',
  ],
]);
/** Points and parts, which have maps of their own, and what other programs add. */
const OTHERS: ReadonlySet<string> = new Set(['rtept', 'trkseg', 'trkpt', 'extensions']);

/** `{waypoints, routes, tracks}`; undefined: the element is none of GPX. */
export function* gpxMaps(root: XmlElement): Steps<ScriptMap | undefined> {
  if (localName(root) !== 'gpx') return undefined;
  const turns = new Turns('importGpx()', 60_000);

  function* points(parent: XmlElement, name: string): Steps<ScriptValue[]> {
    const found: ScriptValue[] = [];
    for (const one of childrenOf(parent, name)) {
      const place = [
        ['latitude', doubleOf(one.attributes.get('lat') ?? null) ?? null],
        ['longitude', doubleOf(one.attributes.get('lon') ?? null) ?? null],
      ] as const;
      found.push(new Map<string, ScriptValue>([...place, ...described(one)]));
      yield* turns.pause();
    }
    return found;
  }
  const routes: ScriptValue[] = [];
  for (const one of childrenOf(root, 'rte')) {
    routes.push(new Map([...described(one), ['waypoints', yield* points(one, 'rtept')]]));
  }
  const tracks: ScriptValue[] = [];
  for (const one of childrenOf(root, 'trk')) {
    const segments: ScriptValue[] = [];
    for (const part of childrenOf(one, 'trkseg')) segments.push(new Map([['waypoints', yield* points(part, 'trkpt')]]));
    tracks.push(new Map([...described(one), ['segments', segments]]));
  }
  return new Map<string, ScriptValue>([
    ['waypoints', yield* points(root, 'wpt')],
    ['routes', routes],
    ['tracks', tracks],
  ]);
}

/** What is said about a point, a route or a track. */
function described(element: XmlElement): Map<string, ScriptValue> {
  const found = new Map<string, ScriptValue>();
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    const name = localName(child);
    if (OTHERS.has(name)) continue;
    const key = NAMES.get(name) ?? name;
    // Of several links the first.
    if (!found.has(key)) found.set(key, valueOf(name, child));
  }
  return found;
}

function valueOf(name: string, element: XmlElement): ScriptValue {
  const text = textIn(element).trim();
  if (name === 'link') return element.attributes.get('href') ?? text;
  if (name === 'time') return dateOf(text) ?? null;
  return NUMBERS.has(name) ? (doubleOf(text) ?? null) : text;
}
