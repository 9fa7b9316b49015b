/**
 * The rooms of the house and the arrows between them (ARCHITECTURE.md): a room imports only rooms to its right, and
 * enters them by their door, `index.ts`. A new room is one line in `ROOMS`, a new floor of a room one in `FLOORS`.
 */
import { dirname, relative, resolve, sep } from 'node:path';

/**
 * From left to right. `main` stands for the files that lie in `src/main` itself: the composition root.
 * The marked ones come with later issues; their place is kept so that the first import already goes the right way.
 */
export const ROOMS = [
  'main',
  'remote', // how commands of `svc` ask a running server, and show what it does
  'rest',
  'admin-ui', // the page of the Admin UI and what it has to know
  'configuration', // first-time setup and the Configuration Interface
  'deployment', // applications, data and graphs as files
  'pages', // trees of HTML: which page a path means, and what it becomes for whom
  'maintenance', // work on the whole database: migrations, commands
  'backup', // the database and its content, to another place and back
  'process', // later: the BPMN runtime, which runs scripts
  'services', // later: cron, agents, timers, which run scripts and touch files
  'scripting', // later: templates and sandbox, whose functions read and write files
  'media', // what becomes of the content of files: images, videos, texts
  'files', // the virtual filesystem: content, upload, serving
  'events', // what happened: the changelog, fed by the change list of the graph
  'analytics', // events of users: how they are written, and what is asked about them
  'live', // who listens to what is committed, and what they are told
  'request', // who asks and what he may, asked in one order for every request
  'security',
  'mail', // what is sent by SMTP, in the background
  'monitoring', // what the service tells of itself: counted and remembered, for those who watch it
  'http',
  'graph-copy', // a database to another place or engine
  'schema',
  'cluster', // the instances on one database, and the one that does what must be done once
  'graph',
  'config',
];

/** Folders that belong to the composition root. */
export const OF_MAIN = new Set(['commands', 'opening', 'serving']);

/** What a worker may take out of rooms: pure modules without state, on its own thread. Paths below `src/main`. */
export const WORKERS_MAY_IMPORT = [
  /^graph\/(?:query|types|errors|ids|making|columns)\.ts$/,
  /^analytics\/digest\/[\w-]+\.ts$/,
  /^graph\/sqlite\/(?:[\w-]+\/)?[\w-]+\.ts$/,
  /^schema\/rights\/holder-names\.ts$/,
  /^deployment\/(?:data\/(?:entry-text|stored-text)|sync\/record|tree\/json-styles)\.ts$/,
  /^events\/changelog\/files\/[\w-]+\.ts$/,
];

/** Packages that one room hides from all others; workers do the same work on their own threads. */
export const PACKAGE_ROOMS = new Map([
  ['uWebSockets.js', 'http'],
  ['ws', 'http'],
  ['better-sqlite3', 'graph'],
  ['@node-rs/argon2', 'schema'],
  ['nodemailer', 'mail'],
  ['@fastify/busboy', 'http'],
  ['undici', 'scripting'],
  ['prom-client', 'monitoring'],
]);

/**
 * Rooms with floors: folders of the room, the lowest first. A file imports only its own floor and lower ones. Files beside the folders (the door)
 * are above all of them.
 */
export const FLOORS = new Map([
  [
    'analytics',
    [
      'digest', // what threads make of events
    ],
  ],
  [
    'deployment',
    [
      'common', // what all need: errors, reports
      'tree', // files of exports, read and written, and users and groups as they name them
      'schema', // the schema as a document
      'sync', // the graph as one archive
      'application', // sections of an application, out and in
      'data', // objects of types, out and in
      'jobs', // deployments as jobs
      'serve', // HTTP
    ],
  ],
  [
    'events',
    [
      'changelog', // what has changed, in files
    ],
  ],
  [
    'pages',
    [
      'model', // a node of a tree, and reading one
      'tree', // trees changed
      'imports', // HTML made trees
      'directory', // what finds a page
      'actions', // event action mapping: what of it stands in a page, what a request for it means
      'formats', // texts that are no HTML
      'modes', // sources of trees
      'plan', // a tree compiled
      'render', // a plan and a request become text
      'serve', // HTTP
    ],
  ],
  [
    'schema',
    [
      'model', // what a schema, a type and a property are
      'writing', // what all need that take part in a transaction
      'properties', // property types
      'builtin', // types that are there without a definition
      'rights', // who may decide about rights
      'changes', // commits told to others, without secrets
      'file-tree', // names and places of files
      'computed', // computed property types
      'rules', // behaviour of built-in types
      'input', // values of inputs
      'relations', // relations in inputs
      'objects', // the one writer of objects
      'compile', // definitions to schemas
      'views', // JSON of objects
    ],
  ],
  [
    'scripting',
    [
      'language', // values, their text, order and conversion, the syntax of expressions
      'run', // what all scripts of one request share: context, transaction, limits, names, stores, response
      'outside', // other servers, databases, mail, geometries, programs
      'engines', // what evaluates expressions and JavaScript
      'functions', // what scripts call, by category
      'calling', // what calls scripts: methods, lifecycle, callbacks, templates, function properties, imports, mails
      'analysis', // what is said of sources without running them
    ],
  ],
]);

/**
 * Where a file lies. `kind` is `room`, `workers`, `shared`, `ui`, or undefined for files that no arrow concerns (tests,
 * benches, scripts).
 */
function locate(root, file) {
  const path = relative(root, file).split(sep).join('/');
  const [top, area, room, ...rest] = path.split('/');
  if (top !== 'src' || area === undefined || room === undefined) return { path };
  if (area === 'main') {
    return rest.length === 0 || OF_MAIN.has(room)
      ? { path, kind: 'room', room: 'main', inside: [room, ...rest].join('/') }
      : { path, kind: 'room', room, inside: rest.join('/') };
  }
  if (area === 'shared') {
    return { path, kind: 'shared', room: rest.length === 0 ? undefined : room, inside: rest.join('/') };
  }
  if (area === 'workers') return { path, kind: area, room: area, inside: room };
  return area === 'ui' || area === 'frontend' ? { path, kind: 'ui', room: area, inside: room } : { path };
}

/** What is wrong with two files of one room; undefined when nothing is. */
function wrongFloor(from, to) {
  const floors = from.kind === 'room' ? FLOORS.get(from.room) : undefined;
  if (floors === undefined) return undefined;
  const [fromFloor, toFloor] = [floorOf(from, floors), floorOf(to, floors)];
  for (const floor of [fromFloor, toFloor]) {
    if (floor.place < 0) {
      return `the folder '${floor.name}' of '${from.room}' has no place in FLOORS of eslint/room-arrows.js`;
    }
  }
  return toFloor.place > fromFloor.place
    ? `'${from.room}/${fromFloor.name}' must not import '${from.room}/${toFloor.name}': a floor imports only lower ones`
    : undefined;
}

function floorOf({ inside }, floors) {
  const [name, ...rest] = inside.split('/');
  return { name, place: rest.length === 0 ? floors.length : floors.indexOf(name) };
}

/** What is wrong with `from` importing `to`; undefined when nothing is. */
function wrongArrow(from, to, typeOnly) {
  if (from.kind === undefined) return undefined;
  if (to.kind === undefined) return `src must not import ${to.path}`;
  if (to.kind === 'shared') {
    // A folder of src/shared is a small room of its own.
    if (to.room !== undefined && to.inside !== 'index.ts' && !(from.kind === 'shared' && from.room === to.room)) {
      return `${to.path} is inside src/shared/${to.room}: import its door, src/shared/${to.room}/index.ts`;
    }
    return undefined;
  }
  if (from.kind === 'shared') return `src/shared imports nothing but src/shared, and this is ${to.path}`;
  if (from.kind === to.kind && from.room === to.room) return wrongFloor(from, to);
  if (from.kind === 'ui' || to.kind === 'ui')
    return 'src/ui and src/frontend run in the browser and share only src/shared';
  if (to.kind === 'workers') {
    return typeOnly ? undefined : 'a worker is started by its path; only types of its messages are imported';
  }
  if (from.kind === 'workers') {
    const inside = `${to.room === 'main' ? '' : `${to.room}/`}${to.inside}`;
    return WORKERS_MAY_IMPORT.some((allowed) => allowed.test(inside))
      ? undefined
      : `a worker may import only the modules listed in eslint/room-arrows.js, not ${to.path}`;
  }
  const fromPlace = ROOMS.indexOf(from.room);
  const toPlace = ROOMS.indexOf(to.room);
  if (fromPlace < 0 || toPlace < 0) {
    return `the room '${fromPlace < 0 ? from.room : to.room}' has no place in ROOMS of eslint/room-arrows.js`;
  }
  if (toPlace < fromPlace) {
    return `'${from.room}' must not import '${to.room}': a room imports only rooms to its right (ARCHITECTURE.md)`;
  }
  if (to.inside !== 'index.ts') {
    return `${to.path} is inside the room '${to.room}': import its door, src/main/${to.room}/index.ts`;
  }
  return undefined;
}

/** The package of a bare specifier: `@a/b/c` is of `@a/b`. */
function packageName(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** What is wrong with `from` importing a package; undefined when nothing is. */
function wrongPackage(from, specifier) {
  const owner = PACKAGE_ROOMS.get(packageName(specifier));
  if (owner === undefined || from.kind === undefined || from.kind === 'workers' || from.room === owner)
    return undefined;
  return `'${packageName(specifier)}' belongs to the room '${owner}', which hides it`;
}

/** @type {import('eslint').Rule.RuleModule} */
export const roomArrows = {
  meta: {
    type: 'problem',
    docs: {
      description: 'a room imports only rooms to its right, by their door, and a floor of a room only lower ones',
    },
    messages: { wrong: '{{reason}}.' },
    schema: [],
  },
  create(context) {
    const from = locate(context.cwd, context.filename);

    function check(node, source, typeOnly) {
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const specifier = source.value;
      const reason = specifier.startsWith('.')
        ? wrongArrow(from, locate(context.cwd, toSource(resolve(dirname(context.filename), specifier))), typeOnly)
        : wrongPackage(from, specifier);
      if (reason !== undefined) context.report({ node, messageId: 'wrong', data: { reason } });
    }

    return {
      ImportDeclaration: (node) => check(node, node.source, node.importKind === 'type'),
      ExportNamedDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, node.source, false),
      TSImportType: (node) => check(node, node.source ?? node.argument?.literal ?? node.argument, true),
    };
  },
};

/** Imports name the file that will be built; the arrows are about the one that was written. */
function toSource(file) {
  return file.replace(/\.js$/, '.ts');
}
