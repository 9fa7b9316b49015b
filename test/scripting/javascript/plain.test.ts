/** Scripts that need no isolate: what they answer there they answer on the loop, and what is not certain is left to it. */
import { expect, test } from 'vitest';
import { NOT_PLAIN } from '../../../src/main/scripting/engines/javascript/plain/plain.js';
import { world } from './support.js';

/** Evaluated on the loop. */
const PLAIN = [
  `1 + 1`,
  `{ const words = ['page', 'row', 'cell']; words[4 % 3].toUpperCase() + 4 * 7 }`,
  `let a = 'x'; a = a + 1; \`<\${a}> \${null} \${undefined} \${1.5} \${true}\``,
  `'a' + null + undefined + 1.0 + true + 0.1`,
  `1 / 3`,
  `7 / 2`,
  `-0`,
  `0 / 0`,
  `'5' * '2'`,
  `'5' + 2`,
  `'b' > 'a' ? 'yes' : 'no'`,
  `null ?? 'other'`,
  `'' || 'other'`,
  `0 && 'never'`,
  `undefined`,
  `null`,
  `typeof 'x' + typeof 1 + typeof null + typeof undefined`,
  `!'' === true`,
  `'1' == 1`,
  `null == undefined`,
  `'  Äpfel '.trim().toLowerCase().length`,
  `'abc'.slice(-2) + 'abc'.substring(2, 0) + 'abc'.charAt(1) + 'abc'.at(-1) + 'abc'[0]`,
  `'a,b,c'.split(',').join(' - ')`,
  `'a,b'.split(',').includes('b') && 'a,b'.split(',').indexOf('b') === 1`,
  `'abab'.replace('a', 'x') + 'abab'.replaceAll('a', 'y')`,
  `'abc'.startsWith('a') + 'abc'.endsWith('c') + 'abc'.includes('b') + 'abc'.indexOf('c') + 'abc'.charCodeAt(0)`,
  `(3.14159).toFixed(2)`,
  `Math.round(2.5) + Math.max(1, 2, 3) + Math.floor(-1.5) + Math.abs(-3)`,
  `$.word.toUpperCase()`,
  `$.word + $.number + $.nothing + $.yes`,
  `$.task.name + ': ' + $.task.count * 2`,
  `$.task.name.length > 3 ? $.task.type : $.task.id`,
  `$.bare.count ?? 'none'`,
  `;`.concat(`'last'`),
];

/** Left to the isolate, whatever they are. */
const LEFT = [
  `(() => 1)()`,
  `[1, 2].map((one) => one + 1)`,
  `new Date(0).getTime()`,
  `'x'.constructor.name`,
  `'x'.__proto__ === String.prototype`,
  `'x'['length']`,
  `[1, 2][5]`,
  `'abc'[-1]`,
  `[1, 2] + ''`,
  `({}) + ''`,
  `/a/.test('a')`,
  `'aXb'.replace('X', '$&$&')`,
  `'a'.repeat(3)`,
  `10n`,
  `1e20`,
  `1 / 0`,
  `null.length`,
  `nobody`,
  `{ a }; const a = 1; a`,
  `const a = 1; a = 2; a`,
  `let undefined$ = 1; undefined$ += 1; undefined$`,
  `$.print('x')`,
  `$.get('word')`,
  `$.me`,
  `$.task.owner`,
  `$.task.date.getTime()`,
  `$.task.unknown`,
  `$.task`,
  `$['word']`,
  `Math.random() < 2`,
  `this`,
  `if (true) { 'a' }`,
  `var a = 1; a`,
  `const { length } = 'abc'; length`,
  `'${'x'.repeat(3000)}'`,
  `const a = '0123456789'; const b = a + a + a + a + a + a + a + a + a + a; const c = b + b + b + b + b + b + b + b + b + b; (c + c + c + c + c + c + c + c + c + c + c).length`,
];

function given(): ReturnType<typeof world> {
  const made = world({
    constants: [
      ['word', 'word'],
      ['number', 12n],
      ['nothing', null],
      ['yes', true],
    ],
  });
  const one = made.object({ name: 'first', count: 21n, date: new Date(5), tags: ['a'] }, 'Task');
  const constants = made.context.constants as Map<string, unknown>;
  constants.set('task', one).set('bare', made.object({ name: 'bare' }, 'Task'));
  return made;
}

test.each(PLAIN)('on the loop as in an isolate: %s', async (source) => {
  const { js, context, run } = given();
  const value = js.plainly(source, context);
  expect(value).not.toBe(NOT_PLAIN);
  expect(value).toEqual(await run(source));
});

test.each(LEFT)('left to the isolate: %s', (source) => {
  const { js, context } = given();
  expect(js.plainly(source, context)).toBe(NOT_PLAIN);
});

test('a run that has a context has its scripts in it: they may have changed what others do', async () => {
  const { js, context, run } = given();
  const release = js.hold(context);
  await run(`String.prototype.toUpperCase = () => 'changed'; 1`);
  expect(js.plainly(`'x'.toUpperCase()`, context)).toBe(NOT_PLAIN);
  expect(await run(`'x'.toUpperCase()`)).toBe('changed');
  release();
  expect(js.plainly(`'x'.toUpperCase()`, context)).toBe('X');
});

test('scripts that answer by return are left', () => {
  const { js, context } = world({ limits: { 'application.scripting.js.wrapinmainfunction': true } });
  expect(js.plainly(`1 + 1`, context)).toBe(NOT_PLAIN);
});
