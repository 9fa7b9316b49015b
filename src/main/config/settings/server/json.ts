import { boolean, group, integer, string } from '../../setting.js';

const DATE = "yyyy-MM-dd'T'HH:mm:ssZ";

export const jsonSettings = {
  ...group('advanced/JSON', {
    'json.indentation': boolean(true, 'Indent JSON answers'),
    'json.redundancyreduction': boolean(
      true,
      'Write an object that is already on the way to itself with id, type and name only',
    ),
    'json.lenient': boolean(false, 'Allow NaN and Infinity in JSON'),
    'json.reductiondepth': integer(
      0,
      'Depth from which objects of the views ui, all and custom have id, type and name only',
      { min: 0, max: 100 },
    ),
    'json.output.dateformat': string(DATE, 'Date pattern of JSON answers', { restart: true }),
  }),
  ...group('advanced/Dates', {
    'dateproperty.defaultformat': string(DATE, 'Pattern of Date properties that name none'),
    'zoneddatetimeproperty.defaultformat': string(DATE, 'Pattern of ZonedDateTime properties that name none'),
  }),
} as const;
