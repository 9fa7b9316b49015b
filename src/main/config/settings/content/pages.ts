import { boolean, group, string } from '../../setting.js';

export const pageSettings = {
  ...group('server/HTTP Settings', {
    'html.indentation': boolean(true, 'Indent the HTML of pages, one tab a level'),
  }),
  ...group('servlets/HtmlServlet', {
    'htmlservlet.resolveproperties': string(
      'NodeInterface.name',
      'Type.property by which the last part of a page address finds an object, the details object of the page; separated by blanks or commas',
    ),
  }),
};
