/** The baseline of templates: EJS and Handlebars, called directly or by uWebSockets.js for each request. */
import ejs from 'ejs';
import Handlebars from 'handlebars';
import uws from 'uWebSockets.js';
import { serve } from '../child.js';
import { templates, type TemplateData } from '../templates.js';

export type TemplateEngine = 'ejs' | 'handlebars';

export interface TemplateOrder {
  readonly engine: TemplateEngine;
  readonly data: TemplateData;
  /** Seconds to render for; absent: answers requests. */
  readonly seconds?: number;
}

export interface TemplateResult {
  readonly text: string;
  /** Texts a second. */
  readonly rate?: number;
  readonly port?: number;
}

type Render = (data: TemplateData) => string;

function renderer(engine: TemplateEngine): Render {
  if (engine === 'ejs') {
    // The fast way of EJS: without `with`.
    const render = ejs.compile(templates().ejs, { destructuredLocals: ['name', 'id', 'type'], _with: false });
    return (data) => render({ ...data });
  }
  const own = Handlebars.create();
  own.registerHelper({
    upper: (text: string) => text.toUpperCase(),
    concat: (a: string, b: string) => a + b,
    equal: (a: string, b: string) => a === b,
    choose: (which: boolean, a: string, b: string) => (which ? a : b),
    length: (text: string) => text.length,
    add: (a: number, b: number) => a + b,
  });
  const render = own.compile<TemplateData>(templates().handlebars);
  return (data) => render(data);
}

serve<TemplateOrder, TemplateResult>(({ engine, data, seconds }) => {
  const render = renderer(engine);
  const text = render(data);
  if (seconds !== undefined) {
    let count = 0;
    const begin = performance.now();
    for (; performance.now() - begin < seconds * 1000; count += 100) for (let i = 0; i < 100; i++) render(data);
    return { text, rate: count / ((performance.now() - begin) / 1000) };
  }
  return new Promise((resolve, reject) => {
    uws
      .App()
      .get('/*', (res) => {
        res.writeHeader('Content-Type', 'text/html;charset=UTF-8').end(render(data));
      })
      .listen('127.0.0.1', 0, (socket) => {
        if (socket === false) reject(new Error('no free port'));
        else resolve({ text, port: uws.us_socket_local_port(socket) });
      });
  });
});
