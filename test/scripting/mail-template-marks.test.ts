/** Which templates of mails may run their scripts: those that an administrator wrote, by a mark. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MailTemplates } from '../../src/main/mail/index.js';
import { ALLOW_ALL, SYSTEM, type Actor } from '../../src/main/schema/index.js';
import { storedScripts } from '../../src/main/scripting/analysis/stored-scripts.js';
import { ScriptWorld } from './support.js';

const OLD = "${GET('http://127.0.0.1:1', 'text/plain', 'u', 'p').body}";

let world: ScriptWorld;
let stranger: Actor;

beforeAll(async () => {
  world = await ScriptWorld.open();
  const found = await world.parts.security.principals.get(await world.create('User', { name: 'stranger' }));
  if (found === undefined) throw new Error('no user');
  stranger = found.actor;
});
afterAll(() => world.close());

describe('the scripts of a template', () => {
  /** Stored before texts were marked. */
  async function unmarked(name: string): Promise<string> {
    const id = await world.create('MailTemplate', { name, text: OLD });
    await world.graph.write((tx) => tx.updateNode(id, { scriptsAllowed: null }));
    return id;
  }
  async function save(
    id: string,
    input: Record<string, string | boolean>,
    actor: Actor,
    usersDecide = false,
  ): Promise<void> {
    const options = { ...world.parts.write(), unknownKeys: 'accept' as const, usersDecide };
    await world.parts.schemas.write(actor, ALLOW_ALL, options, async (objects) => {
      const node = await objects.tx.node(id);
      if (node === undefined) throw new Error('no template');
      await objects.update(node, input);
    });
  }
  async function mayRun(kind: string): Promise<boolean> {
    const templates = new MailTemplates(world.graph, world.parts.schemas);
    return (await templates.texts(kind, { BODY: '' }, undefined)).BODY.mayRun;
  }

  it('run when an administrator has saved its text as it is now, and not when nobody knows who has written it', async () => {
    const id = await unmarked('A_BODY');
    expect(await mayRun('A')).toBe(false);
    await save(id, { name: 'A_BODY', locale: '' }, SYSTEM);
    expect(await mayRun('A')).toBe(false);
    await save(id, { text: OLD }, SYSTEM);
    expect(await mayRun('A')).toBe(true);
    await save(id, { text: OLD }, stranger);
    expect(await mayRun('A')).toBe(true);
    await world.graph.write((tx) => tx.updateNode(id, { text: `${OLD}!`, scriptsAllowed: null }));
    await save(id, { text: `${OLD}!`, locale: 'de' }, SYSTEM);
    await save(id, { locale: '' }, SYSTEM);
    expect(await mayRun('A')).toBe(true);
  });

  it('are written by administrators alone, as they run with the rights of who gets the mail, unless a setting says otherwise', async () => {
    const refused = { kind: 'forbidden' };
    const own = await world.create('MailTemplate', { name: 'E_BODY', text: 'Hello ${name}, ${ link }' });
    await save(own, { text: 'Hi ${name}' }, stranger);
    expect(await mayRun('E')).toBe(false);
    for (const text of [OLD, '${{ 1 }}', '${python{1}}', '${me.name}', '${name', 'Hi ${name} ${a()}'])
      await expect(save(own, { text }, stranger)).rejects.toMatchObject(refused);
    await expect(save(own, { name: 'RESET_PASSWORD_BASE_URL' }, stranger)).rejects.toMatchObject(refused);
    const scripted = await world.create('MailTemplate', { name: 'F_BODY', text: OLD });
    for (const input of [{ text: 'plain' }, { name: 'E_BODY' }, { locale: 'de' }])
      await expect(save(scripted, input, stranger)).rejects.toMatchObject(refused);
    await save(scripted, { name: 'F_BODY', text: OLD }, stranger);
    expect(await mayRun('F')).toBe(true);
    await save(own, { text: OLD }, stranger, true);
    expect(await mayRun('E')).toBe(true);
  });

  it('run by no mark that somebody writes himself', async () => {
    const id = await unmarked('B_BODY');
    await expect(save(id, { scriptsAllowed: true, other: 'x' }, stranger)).rejects.toMatchObject({ kind: 'forbidden' });
    await save(id, { scriptsAllowed: true, other: 'x' }, SYSTEM);
    expect((await world.graph.read((tx) => tx.node(id)))?.properties).toMatchObject({ other: 'x' });
    expect(await mayRun('B')).toBe(false);
  });

  it('are looked at where they run, and nowhere else', async () => {
    await unmarked('C_BODY');
    await world.create('MailTemplate', { name: 'D_BODY', text: OLD });
    const found: string[] = [];
    await world.graph.read(async (tx) => {
      for await (const { node } of storedScripts(tx, world.parts.schemas.schema))
        found.push(String(node.properties['name']));
    });
    expect(found.filter((name) => /^[CD]_BODY/.test(name))).toEqual(['D_BODY']);
  });
});
