import { describe, expect, it } from 'vitest';
import { failureText } from '../../../src/main/scripting/run/failed-scripts.js';
import {
  ScriptCallable,
  ScriptPredicate,
  type ScriptObject,
  type ScriptValue,
} from '../../../src/main/scripting/language/values.js';
import { world, type World } from './support.js';

function withProject(more: Parameters<typeof world>[0] = {}): World & { project: ReturnType<World['object']> } {
  const made = world(more);
  const project = made.object({ name: 'a', count: 3n, date: new Date(0), tags: ['x', 'y'], tasks: [] });
  const task = made.object({ name: 't' });
  made.valuesOf(project).set('tasks', [task]);
  const context = { ...made.context, self: project };
  return {
    ...made,
    context,
    project,
    run: (source, given) => made.js.run(source, context, { wrapped: false, ...given }),
  };
}

describe('objects of the graph', () => {
  it('are read property by property, with one question for all plain values', async () => {
    const { run, calls } = withProject();
    const source =
      'const p = $.this; [p.id, p.type, p.name, p.count, p.date instanceof Date, p.tags[1], p.tags.length]';
    expect(await run(source)).toEqual(['id0', 'Project', 'a', 3n, true, 'y', 2n]);
    expect(calls).toEqual(['load id0']);
  });

  it('come back as themselves', async () => {
    const { run, project } = withProject();
    expect(await run('const p = $.this; [p, { p }]')).toEqual([project, new Map([['p', project]])]);
    expect(await run('$.this === $.this')).toBe(true);
  });

  it('answer undefined for what they do not have, and refuse to be given it', async () => {
    const { run } = withProject();
    expect(
      await run('$.this.nothing === undefined && $.this.then === undefined && $.this.constructor === undefined'),
    ).toBe(true);
    await expect(run('$.this.nothing = 1')).rejects.toThrow('Project has no property nothing');
    expect(await run('try { $.this.nothing = 1 } catch (e) { e.message + e.status + e.getMessage() }')).toBe(
      'Project has no property nothing.422Project has no property nothing.',
    );
  });

  it('are written at once, and show what was written', async () => {
    const { run, calls, project, valuesOf } = withProject();
    expect(await run('const p = $.this; p.name; p.name = "b"; p.count = 5; p.name + p.count')).toBe('b5');
    expect(calls).toEqual(['load id0', 'set id0.name', 'set id0.count', 'load id0']);
    expect(valuesOf(project).get('count')).toBe(5n);
    await run('delete $.this.name; $.this.date = new Date(7)');
    expect(valuesOf(project).get('name')).toBeNull();
    expect(valuesOf(project).get('date')).toEqual(new Date(7));
  });

  it('enumerate their properties and methods, and are texts by their id', async () => {
    const { run } = withProject();
    const all = ['id', 'type', 'name', 'count', 'date', 'tags', 'tasks', 'owner', 'close'];
    expect(await run('Object.keys($.this)')).toEqual(all.filter((key) => key !== 'close'));
    expect(await run('Reflect.ownKeys($.this)')).toEqual(all);
    expect(await run('["name" in $.this, "nothing" in $.this, `${$.this}`, $.this + ""]')).toEqual([
      true,
      false,
      'id0',
      'id0',
    ]);
    expect(await run('JSON.stringify($.this)')).toContain('"name":"a","count":3');
  });

  it('have lists that are written when they change', async () => {
    const { run, project, valuesOf } = withProject();
    const tasks = (): unknown => (valuesOf(project).get('tasks') as { id: string }[]).map((one) => one.id);
    await run('$.this.tasks.push($.this)');
    expect(tasks()).toEqual(['id1', 'id0']);
    expect(await run('$.this.tasks.splice(0, 1).map(t => t.id)')).toEqual(['id1']);
    expect(tasks()).toEqual(['id0']);
    await run('$.this.tags[0] = "z"; $.this.tags.sort().reverse(); $.this.tags.push("w")');
    expect(valuesOf(project).get('tags')).toEqual(['z', 'y', 'w']);
    await run('delete $.this.tags[1]');
    expect(valuesOf(project).get('tags')).toEqual(['z', 'w']);
    await run('$.this.tasks.length = 0');
    expect(tasks()).toEqual([]);
  });

  it('do not lose what was added meanwhile when a list is changed', async () => {
    const made: ReturnType<typeof withProject> = withProject({
      functions: {
        addOther: async (_, { run }) => {
          const tasks = made.valuesOf(made.project).get('tasks') as ScriptValue[];
          await run.entities.set(made.project, [['tasks', [...tasks, made.object({ name: 'late' })]]], made.context);
          return null;
        },
      },
    });
    const source =
      'const list = $.this.tasks; const n = list.length; $.addOther(); list.push($.this); [n, list.length]';
    expect(await made.run(source)).toEqual([1n, 3n]);
    expect((made.valuesOf(made.project).get('tasks') as { id: string }[]).map((one) => one.id)).toEqual([
      'id1',
      'id2',
      'id0',
    ]);
  });

  it('have methods', async () => {
    const { run, calls, project } = withProject({
      methods: { close: async (self, args) => [self, ...args], 'static all': async (_, args) => [...args, 'static'] },
    });
    expect(await run('typeof $.this.close')).toBe('function');
    expect(await run('$.this.close({ a: 1 })')).toEqual([project, new Map([['a', 1n]])]);
    expect(await run('$.Project.all({ b: 2 })')).toEqual([new Map([['b', 2n]]), 'static']);
    expect(calls.filter((one) => one.startsWith('method'))).toEqual(['method close', 'method all']);
  });

  it('are read ahead when many are read one after the other', async () => {
    const made = world();
    const list = Array.from({ length: 100 }, (_, i) => made.object({ name: `n${String(i)}` }));
    const found = await made.js.run(
      '$.list.map(one => one.name).join()',
      { ...made.context, constants: new Map([['list', list]]) },
      { wrapped: false },
    );
    expect(found).toBe(list.map((_, i) => `n${String(i)}`).join());
    expect(made.calls.length).toBeLessThan(10);
  });
});

describe('the members of $', () => {
  const object: ScriptObject = {
    isScriptObject: true,
    title: 'A thing',
    get: (key) => (key === 'a' ? 1n : null),
    set: (key, value) => {
      written.push([key, value]);
    },
    keys: () => ['a'],
  };
  const written: [string, ScriptValue][] = [];

  it('are looked up in the order of the interface', async () => {
    const functions = { mine: async () => 'function', data: async () => 'function', this: async () => 'function' };
    const made = withProject({
      functions,
      constants: [
        ['data', 'constant'],
        ['stored', 'constant'],
        ['Project', 'constant'],
      ],
    });
    made.context.run.requestStore
      .set('stored', 'store')
      .set('kept', 'store')
      .set('Project', 'store')
      .set('this', 'store')
      .set('locale', 'store');
    expect(await made.run('[$.mine(), $.data(), $.stored, $.kept, $.Project, $.this.id, $.locale, $.nothing]')).toEqual(
      ['function', 'function', 'constant', 'store', 'constant', 'id0', 'store', null],
    );
    expect(await made.run('[$.get("this").id, $.get("kept"), $ === Svc, "x" in $, $.request === null]')).toEqual([
      'id0',
      'store',
      true,
      true,
      true,
    ]);
  });

  it('cannot be assigned, silently', async () => {
    expect(await world().run('$.x = 1; delete $.this; $.x')).toBeNull();
    expect(await world().run('try { $ = 1 } catch (e) { e.name }')).toBe('TypeError');
  });

  it('hold stores that are written', async () => {
    const { run, context } = world();
    expect(await run('$.requestStore.a = { b: 1 }; $.vars.c = 2; $.requestStore.a.b = 5; $.a.b + $.c')).toBe(7n);
    expect(context.run.requestStore.get('a')).toEqual(new Map([['b', 5n]]));
  });

  it('show things of the service as objects', async () => {
    const made = world({ constants: [['thing', object]] });
    expect(await made.run('[$.thing.a, $.thing.b, Object.keys($.thing), "a" in $.thing, `${$.thing}`]')).toEqual([
      1n,
      null,
      ['a'],
      true,
      'A thing',
    ]);
    await made.run('$.thing.c = [1]; delete $.thing.d');
    expect(written).toEqual([
      ['c', [1n]],
      ['d', null],
    ]);
  });

  it('are told apart: a function that does not exist, a predicate, a function of the loop', async () => {
    const double = new ScriptCallable(async ([one]) => Number(one) * 2.5);
    const predicate = new ScriptPredicate('equals', []);
    const made = world({
      constants: [
        ['double', double],
        ['condition', predicate],
      ],
    });
    expect(await made.run('$.double(3)')).toBe(7.5);
    expect(await made.run('[$.double, $.condition]')).toEqual([double, predicate]);
    await expect(made.run('$.predicate.none()')).rejects.toThrow('There is no function find.none');
  });
});

describe('functions that scripts hand over', () => {
  it('are called while the script waits, with arguments and the context that is given', async () => {
    const titles: string[] = [];
    const made = world({
      functions: {
        twice: async ([work], context) => {
          if (!(work instanceof ScriptCallable)) return null;
          const first = await work.call([1n], { ...context, title: 'inner' });
          return [first, await work.call([2n])];
        },
        title: async (_, context) => {
          titles.push(context.title);
          return context.title;
        },
      },
    });
    expect(await made.run('$.twice(n => n + $.title())')).toEqual(['1inner', '2test']);
    expect(await made.run('$.twice(n => $.twice(m => n * 10 + m))')).toEqual([
      [11n, 12n],
      [21n, 22n],
    ]);
    expect(titles).toEqual(['inner', 'test']);
  });

  it('are the same function when they come back', async () => {
    const made = world({ functions: { same: async ([one]) => one ?? null } });
    expect(await made.run('const f = () => 5; $.same(f) === f && $.same([f])[0] === f')).toBe(true);
    expect(await made.run('const p = Promise.resolve(4); $.same(p) === p')).toBe(true);
  });

  it('pass their exceptions on, unchanged', async () => {
    const made = world({ functions: { work: async ([one]) => (one as ScriptCallable).call([]) } });
    expect(
      await made.run(
        'class My extends Error {}; try { $.work(() => { throw new My("m") }) } catch (e) { e instanceof My && e.message }',
      ),
    ).toBe('m');
    await expect(made.run('$.work(() => null.x)')).rejects.toMatchObject({
      status: 422,
      detail: "TypeError: Cannot read properties of null (reading 'x')",
    });
  });

  it('work beside each other', async () => {
    const made = world({
      functions: {
        both: async (list) => Promise.all(list.map((one) => (one as ScriptCallable).call([]))),
        wait: async () =>
          new Promise((resolve) =>
            setTimeout(() => {
              resolve(1n);
            }, 20),
          ),
      },
    });
    expect(await made.run('$.both(() => $.wait() + 1, () => $.wait() + 2, () => 4)')).toEqual([2n, 3n, 4n]);
  });

  it('cannot stay in a context that has ended', async () => {
    const titles: string[] = [];
    const made = world({
      functions: {
        inside: async ([work], context) => (work as ScriptCallable).call([], { ...context, title: 'inside' }),
        title: async (_, context) => {
          titles.push(context.title);
          return null;
        },
      },
    });
    await made.run('$.inside(() => { Promise.resolve().then(() => $.title()); $.title() }); $.title()');
    expect(titles).toEqual(['inside', 'test', 'test']);
    titles.length = 0;
    // At the end of the stack the script cannot even say that its function has ended.
    await made.run(`
      let tries = 0;
      function deep() { try { deep() } catch { } if (tries++ < 200) try { $.inside(() => deeper()) } catch { } }
      function deeper() { try { deeper() } catch { $.title() } }
      deep(); $.title(); tries`);
    expect(titles.at(-1)).toBe('test');
  });
});

describe('scripts inside of scripts', () => {
  it('share their context, not their variables', async () => {
    const made: World = world({
      functions: {
        inner: async (_, context) =>
          made.js.run(
            'let x = 5; globalThis.shared = "inner"; return x + $.parameter',
            { ...context, constants: new Map([['parameter', 1n]]) },
            { wrapped: true },
          ),
      },
    });
    expect(await made.run('let x = 1; const r = $.inner(); [r, x, shared, $.parameter]')).toEqual([
      6n,
      1n,
      'inner',
      null,
    ]);
    expect(made.js.isolates.counts).toMatchObject({ used: 0, idle: 1 });
  });

  it('have the very object that is their argument', async () => {
    const made: World = world({
      functions: {
        inner: async ([given], context) => {
          const parameters = given as Map<string, ScriptValue>;
          const inside = { ...context, parameters, constants: new Map([['given', parameters]]) };
          return made.js.run('$.methodParameters.seen = $.args.a; $.given', inside, { wrapped: false });
        },
        keep: async ([one]) => {
          kept.push(one ?? null);
          return null;
        },
        kept: async () => kept[0] ?? null,
      },
    });
    const kept: ScriptValue[] = [];
    expect(await made.run('const o = { a: [1] }; $.inner(o); o.seen === o.a')).toBe(true);
    expect(await made.run('const o = { a: 1 }; $.keep(o); o.a = 2; [$.kept() === o, $.kept().a]')).toEqual([false, 1n]);
  });

  it('pass their errors through', async () => {
    const made: World = world({
      functions: {
        inner: async ([source], context) =>
          made.js.run(source as string, { ...context, title: 'inner' }, { wrapped: true }),
      },
    });
    expect(
      await made.run(
        'try { $.inner("\\nthrow new TypeError(`t`)") } catch (e) { e instanceof TypeError && e.message }',
      ),
    ).toBe('t');
    await expect(made.run('$.inner("\\n  null.x")')).rejects.toSatisfy((error) =>
      failureText(error, '').startsWith('inner:2:8: TypeError'),
    );
    await expect(made.run('$.inner("let let")')).rejects.toSatisfy((error) =>
      failureText(error, '').startsWith('inner:1:5: SyntaxError'),
    );
  });
});
