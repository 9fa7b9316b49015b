/** The same template in three languages: 50 expressions over the name, id and type of an object. */

/** Expressions of a template. */
export const EXPRESSIONS = 50;

export interface TemplateData {
  readonly name: string;
  readonly id: string;
  readonly type: string;
}

export interface Engines {
  readonly svc: string;
  readonly ejs: string;
  readonly handlebars: string;
}

const KINDS: readonly ((i: string) => Engines)[] = [
  () => ({ svc: '${this.name}', ejs: '<%- name %>', handlebars: '{{{name}}}' }),
  () => ({ svc: '${this.id}', ejs: '<%- id %>', handlebars: '{{{id}}}' }),
  (i) => ({
    svc: `\${upper(concat(this.name, '-${i}'))}`,
    ejs: `<%- (name + '-${i}').toUpperCase() %>`,
    handlebars: `{{{upper (concat name '-${i}')}}}`,
  }),
  (i) => ({
    svc: `\${if(equal(this.type, 'Type${i}'), 'this one', 'another')}`,
    ejs: `<%- type === 'Type${i}' ? 'this one' : 'another' %>`,
    handlebars: `{{{choose (equal type 'Type${i}') 'this one' 'another'}}}`,
  }),
  (i) => ({
    svc: `\${int(add(length(this.name), ${i}))}`,
    ejs: `<%- name.length + ${i} %>`,
    handlebars: `{{{add (length name) ${i}}}}`,
  }),
];

/** Lines of text around expressions of each kind in turn. */
export function templates(): Engines {
  const all: Engines[] = Array.from({ length: EXPRESSIONS }, (_, i) => {
    const made = KINDS[i % KINDS.length]?.(String(i));
    if (made === undefined) throw new Error('there is no kind of expression');
    return made;
  });
  const joined = (of: (one: Engines) => string): string =>
    all.map((one, i) => `<p class="line-${String(i)}">Line ${String(i)}: ${of(one)}, and so on.</p>\n`).join('');
  return {
    svc: joined((one) => one.svc),
    ejs: joined((one) => one.ejs),
    handlebars: joined((one) => one.handlebars),
  };
}
