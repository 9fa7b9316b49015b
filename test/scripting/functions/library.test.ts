/** What holds for every function of the library, and its documentation. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { functionDocs, missingFunctions } from '../../../src/main/scripting/functions/docs.js';
import { expressions } from '../../../src/main/scripting/calling/languages.js';
import { usage } from '../../../src/main/scripting/run/function/function.js';
import { archiveFunctions } from '../../../src/main/scripting/functions/files/archives.js';
import { videoFunctions } from '../../../src/main/scripting/functions/files/videos.js';
import { catalogue } from '../../../src/main/scripting/functions/catalogue.js';
import { changelogFunctions } from '../../../src/main/scripting/functions/service/changelog.js';
import { callFunctions } from '../../../src/main/scripting/functions/objects/calls.js';
import { cypherFunctions } from '../../../src/main/scripting/functions/databases/cypher.js';
import { databaseFunctions } from '../../../src/main/scripting/functions/databases/database.js';
import { otherDatabases } from '../../../src/main/scripting/functions/databases/other-databases.js';
import { findFunctions } from '../../../src/main/scripting/functions/objects/find.js';
import { geoFormats } from '../../../src/main/scripting/functions/geo/geo-formats.js';
import { geoCoverages } from '../../../src/main/scripting/functions/geo/geo-coverages.js';
import { geoServices } from '../../../src/main/scripting/functions/geo/geo-services.js';
import { fulltextFunctions } from '../../../src/main/scripting/functions/objects/fulltext.js';
import { objectFunctions } from '../../../src/main/scripting/functions/objects/objects.js';
import { scheduling } from '../../../src/main/scripting/functions/service/schedule.js';
import { sessionFunctions } from '../../../src/main/scripting/functions/service/sessions.js';
import { system } from '../../../src/main/scripting/functions/service/system.js';
import { eventFunctions } from '../../../src/main/scripting/functions/service/events.js';
import { fileFunctions } from '../../../src/main/scripting/functions/files/files.js';
import { http } from '../../../src/main/scripting/functions/messages/http.js';
import { mail } from '../../../src/main/scripting/functions/messages/mail.js';
import { notificationFunctions } from '../../../src/main/scripting/functions/messages/notifications.js';
import { schemaFunctions } from '../../../src/main/scripting/functions/objects/schema.js';
import { spreadsheets } from '../../../src/main/scripting/functions/formats/spreadsheets.js';
import { relationshipFunctions } from '../../../src/main/scripting/functions/objects/relationships.js';
import { pdfFunctions } from '../../../src/main/scripting/functions/files/pdf.js';
import { imageFunctions } from '../../../src/main/scripting/functions/files/images.js';
import { serverFileFunctions } from '../../../src/main/scripting/functions/files/server-files.js';
import { serverLog } from '../../../src/main/scripting/functions/service/server-log.js';
import { translation } from '../../../src/main/scripting/functions/text/translation.js';
import { rightsFunctions } from '../../../src/main/scripting/functions/objects/rights.js';
import { categories } from '../../../src/main/scripting/functions/table.js';
import { cssFunctions } from '../../../src/main/scripting/functions/pages/css.js';
import { markupFunctions } from '../../../src/main/scripting/functions/pages/markup.js';
import { renderingFunctions } from '../../../src/main/scripting/functions/pages/rendering.js';
import { textOf } from '../../../src/main/scripting/language/text.js';
import { ScriptWorld } from '../support.js';
import { call } from './support.js';

const functions = categories.flatMap((category) => [...category.functions]);
const known = new Set(catalogue.flatMap(({ names }) => names));

describe('the library', () => {
  it('has no two functions of one name, in either spelling', () => {
    const names = functions.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('has no function that the interface does not know', () => {
    // Predicates of find and search have a list of their own (docs/interface/scripting.md 8.2).
    const own = functions.filter(({ name, hidden }) => hidden !== true && !name.startsWith('find.'));
    expect(own.filter(({ name }) => !known.has(name)).map(({ name }) => name)).toEqual([]);
  });

  it('has a catalogue without repetitions', () => {
    const names = catalogue.flatMap((section) => [...section.names]);
    expect(names.length).toBe(new Set(names).size);
    expect(names.length).toBeGreaterThan(300);
  });

  it('is documented as it is', async () => {
    const path = join(import.meta.dirname, '../../../docs/functions.md');
    // After a change: npm run build && node dist/src/main/scripting/write-docs.js docs/functions.md
    expect(await readFile(path, 'utf8')).toBe(functionDocs());
  });

  it('says which functions are missing', () => {
    const missing = new Set(missingFunctions().flatMap(({ names }) => names));
    expect(functions.filter(({ name }) => missing.has(name))).toEqual([]);
    const there = new Set(functions.map(({ name }) => name));
    expect([...known].filter((name) => !there.has(name) && !missing.has(name))).toEqual([]);
  });
});

describe('every function', () => {
  let world: ScriptWorld;
  let context: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
  });
  beforeEach(() => {
    context = world.context();
  });
  afterAll(() => world.close());

  const all = functions.map((one) => [one.name, one] as const);

  it.each(all.filter(([, { min = 0 }]) => min > 0))(
    '%s answers its usage when arguments are missing',
    async (name, one) => {
      expect(await call(context, name)).toBe(usage(one));
      expect(one.signature.startsWith(`${name}(`)).toBe(true);
    },
  );

  it.each(all.filter(([, { max }]) => max !== undefined))('%s answers its usage for too many', async (name, one) => {
    const args = Array.from({ length: (one.max ?? 0) + 1 }, () => 'x');
    expect(await call(context, name, ...args)).toBe(usage(one));
  });

  // Their examples speak of types, objects and functions of users, of other servers or of logins; what they do is shown by their
  // own tests.
  const aboutUsers = [
    findFunctions,
    fulltextFunctions,
    objectFunctions,
    relationshipFunctions,
    databaseFunctions,
    cypherFunctions,
    otherDatabases,
    rightsFunctions,
    callFunctions,
    fileFunctions,
    archiveFunctions,
    videoFunctions,
    serverFileFunctions,
    pdfFunctions,
    imageFunctions,
    http,
    mail,
    translation,
    sessionFunctions,
    scheduling,
    schemaFunctions,
    system,
    serverLog,
    changelogFunctions,
    eventFunctions,
    geoServices,
    geoCoverages,
    renderingFunctions,
    markupFunctions,
    cssFunctions,
  ];
  const excepted = new Set([
    ...aboutUsers.flatMap((category) => category.functions),
    ...notificationFunctions.functions.filter(({ name }) => name.endsWith('Event')),
    ...spreadsheets.functions.filter(({ name }) => name === 'fromExcel'),
    ...geoFormats.functions.filter(({ name }) => name === 'readShapefile'),
  ]);
  const inExpressions = all.filter(([, one]) => !excepted.has(one));

  it.each(inExpressions)('%s has an example that is true', async (_name, { example }) => {
    const at = example.lastIndexOf(' // ');
    expect(at).toBeGreaterThan(0);
    const value = await expressions.evaluate(example.slice(0, at), context);
    const text = textOf(value, context);
    expect(text === '' ? context.run.printed : text).toBe(example.slice(at + 4));
  });
});
