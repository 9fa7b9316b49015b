/** Documents of Microsoft Office before 2007, which nothing here reads: who has one is told so. */
import type { Format } from '../format.js';
import { endingOf } from '../source.js';

const START = Buffer.from('d0cf11e0a1b11ae1', 'hex');

export const office97: Format = {
  name: 'Office 97',
  is: ({ head, name, contentType }) =>
    head.subarray(0, START.length).equals(START) &&
    (/^(?:doc|xls|ppt|dot|xlt|pps)$/.test(endingOf(name)) || /msword|ms-excel|ms-powerpoint/.test(contentType)),
  read: () =>
    Promise.reject(
      new Error('Documents of Microsoft Office before 2007 cannot be read: save it as docx, xlsx or pptx.'),
    ),
};
