/** The pages of the site. Texts in `${}` are evaluated for each request; `localize` looks up a `Localization`. */
import { STRANGERS_ONLY, USERS_ONLY } from './tree.mjs';

/** Nothing inline, nothing from elsewhere: the pages need no more. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types svc',
].join('; ');

const PAGE_SIZE = 12;
const text = (key) => `\${localize('${key}', 'atlas')}`;
const number = (value) => `\${numberFormat(${value}, locale, '#,##0')}`;
const asked = (name) => `\${if(empty(request.${name}), '', request.${name})}`;

/** Before anything else: headers leave with the first bytes of a page. */
const policy = [
  'Template',
  { content: `\${setResponseHeader('Content-Security-Policy', "${POLICY}")}`, contentType: 'text/html' },
];

/** What all pages have around their own. */
function frame(title, ...main) {
  const html = [
    'html',
    { _html_lang: '${substring(locale, 0, 2)}' },
    [
      'head',
      {},
      ['meta', { _html_charset: 'utf-8' }],
      ['meta', { _html_name: 'viewport', _html_content: 'width=device-width' }],
      ['title', {}, title],
      ['link', { _html_rel: 'stylesheet', _html_href: '/atlas.css' }],
      ['link', { _html_rel: 'icon', _html_href: '/atlas-icon.svg' }],
      ['script', { _html_src: '/svc/js/frontend/frontend.js', _html_type: 'module' }],
    ],
    [
      'body',
      {},
      [
        'header',
        {},
        ['a', { _html_href: '/atlas?_locale=${locale}', _html_class: 'home' }, text('title')],
        [
          'nav',
          {},
          ['a', { _html_href: '?_locale=en' }, 'English'],
          ['a', { _html_href: '?_locale=de' }, 'Deutsch'],
          ['a', { _html_href: '/atlas-login?_locale=${locale}', ...STRANGERS_ONLY }, text('login')],
          [
            'button',
            { ...USERS_ONLY, action: { event: 'click', action: 'sign-out', successBehaviour: 'full-page-reload' } },
            `${text('logout')} (\${me.name})`,
          ],
        ],
      ],
      ['main', {}, ...main],
    ],
  ];
  return [policy, html];
}

const turn = (name, action, label) => [
  'button',
  {
    name,
    _html_class: name,
    action: {
      event: 'click',
      action,
      successBehaviour: 'partial-refresh-linked',
      successTargets: ['list'],
      parameters: [{ parameterName: 'page', parameterType: 'page-param' }],
    },
  },
  label,
];

/** The order of the list, and which part of it is shown. */
const part = `sort('population', true), page(if(empty(request.page), 1, int(request.page)), ${PAGE_SIZE})`;

/** The list: filtered by a form, turned page by page without loading the whole of it. */
const list = frame(
  text('title'),
  ['img', { _html_src: '/atlas-map.svg', _html_class: 'map', _html_alt: text('map') }],
  [
    'form',
    { _html_action: '/atlas', _html_method: 'get' },
    ['input', { _html_type: 'hidden', _html_name: '_locale', _html_value: '${locale}' }],
    [
      'input',
      {
        _html_name: 'q',
        _html_value: asked('q'),
        _html_placeholder: text('filter'),
        '_custom_html_aria-label': text('filter'),
      },
    ],
    ['button', {}, text('search')],
  ],
  [
    'section',
    { name: 'list', _html_id: 'list' },
    [
      'table',
      {},
      ['thead', {}, ['tr', {}, ...['city', 'country', 'population'].map((key) => ['th', {}, text(key)])]],
      [
        'tbody',
        {},
        [
          'tr',
          {
            dataKey: 'city',
            functionQuery: `if(empty(request.q), find('City', ${part}), find('City', contains('name', request.q), ${part}))`,
          },
          ['td', {}, ['a', { _html_href: '/city/${city.geonameId}?_locale=${locale}' }, '${city.name}']],
          ['td', {}, '${city.country.name}'],
          ['td', { _html_class: 'number' }, number('city.population')],
        ],
      ],
    ],
    [
      'p',
      { _html_class: 'turn' },
      turn('previous', 'prev-page', text('previous')),
      ['span', {}, `${text('page')} \${if(empty(request.page), 1, request.page)}`],
      turn('next', 'next-page', text('next')),
    ],
  ],
);

const fact = (key, value) => [
  ['dt', {}, text(key)],
  ['dd', {}, value],
];

/** One city, found by the route. What people write about it is shown anew without the rest of the page. */
const city = frame(`${text('city')} \${geonameId}`, [
  'article',
  { dataKey: 'city', functionQuery: "find('City', 'geonameId', geonameId)" },
  ['h1', {}, '${city.name}'],
  [
    'dl',
    {},
    ...fact('country', '${city.country.name}'),
    ...fact('population', number('city.population')),
    ...fact(
      'place',
      "${numberFormat(city.latitude, locale, '0.00')}°, ${numberFormat(city.longitude, locale, '0.00')}°",
    ),
  ],
  ['h2', {}, text('notes')],
  [
    'ul',
    { name: 'notes', _html_id: 'notes' },
    [
      'li',
      { dataKey: 'note', functionQuery: "find('AtlasNote', 'city', city.id, sort('createdDate'))" },
      '${note.text}',
    ],
  ],
  [
    'form',
    {
      ...USERS_ONLY,
      name: 'write',
      _html_id: 'write',
      action: {
        event: 'submit',
        action: 'create',
        dataType: 'AtlasNote',
        options: '{"resetValue": true}',
        failureNotifications: 'inline-text-message',
        successBehaviour: 'partial-refresh-linked',
        successTargets: ['notes'],
        parameters: [
          { parameterName: 'text', parameterType: 'user-input', inputElement: 'text' },
          { parameterName: 'city', parameterType: 'script-expression', scriptExpression: 'city.id' },
          { parameterName: 'visibleToPublicUsers', parameterType: 'constant-value', constantValue: 'true' },
          { parameterName: 'visibleToAuthenticatedUsers', parameterType: 'constant-value', constantValue: 'true' },
        ],
      },
    },
    [
      'input',
      {
        name: 'text',
        _html_id: 'note-text',
        _html_placeholder: text('write'),
        '_custom_html_aria-label': text('write'),
      },
    ],
    ['button', {}, text('send')],
  ],
  ['p', STRANGERS_ONLY, text('loginToWrite')],
]);

const login = frame(
  text('login'),
  ['h1', {}, text('login')],
  [
    'form',
    {
      name: 'sign-in',
      _html_id: 'sign-in',
      action: {
        event: 'submit',
        action: 'sign-in',
        failureNotifications: 'inline-text-message',
        successBehaviour: 'navigate-to-url',
        successURL: '/atlas?_locale=${locale}',
        parameters: ['name', 'password'].map((key) => ({
          parameterName: key,
          parameterType: 'user-input',
          inputElement: key,
        })),
      },
    },
    [
      'input',
      { name: 'name', _html_id: 'login-name', _html_placeholder: text('name'), _html_autocomplete: 'username' },
    ],
    [
      'input',
      {
        name: 'password',
        _html_id: 'login-password',
        _html_type: 'password',
        _html_placeholder: text('password'),
        _html_autocomplete: 'current-password',
      },
    ],
    ['button', {}, text('login')],
  ],
);

const missing = frame(
  text('missing'),
  ['h1', {}, text('missing')],
  ['p', {}, ['a', { _html_href: '/atlas?_locale=${locale}' }, text('back')]],
);

/** The start page comes last: the site is there when it is. */
export const pages = [
  { fields: { name: 'atlas-login', dontCache: true }, trees: login },
  { fields: { name: 'atlas-missing', dontCache: true, showOnErrorCodes: '404' }, trees: missing },
  { fields: { name: 'atlas-city', dontCache: true }, trees: city, route: '/city/{geonameId}', parameter: 'Long' },
  { fields: { name: 'atlas', dontCache: true, position: 1 }, trees: list },
];

/** Texts by key: English, German. */
export const texts = {
  title: ['Atlas of cities', 'Atlas der Städte'],
  map: ['The largest cities of the world', 'Die größten Städte der Welt'],
  filter: ['Part of a name', 'Teil eines Namens'],
  search: ['Search', 'Suchen'],
  city: ['City', 'Stadt'],
  country: ['Country', 'Land'],
  population: ['Inhabitants', 'Einwohner'],
  place: ['Place', 'Lage'],
  previous: ['Back', 'Zurück'],
  next: ['Next', 'Weiter'],
  page: ['Page', 'Seite'],
  notes: ['Notes', 'Notizen'],
  write: ['A note about this city', 'Eine Notiz zu dieser Stadt'],
  send: ['Send', 'Senden'],
  login: ['Log in', 'Anmelden'],
  logout: ['Log out', 'Abmelden'],
  loginToWrite: ['Log in to write a note.', 'Wer angemeldet ist, kann hier schreiben.'],
  name: ['Name', 'Name'],
  password: ['Password', 'Passwort'],
  missing: ['There is no such page', 'Diese Seite gibt es nicht'],
  back: ['To the list of cities', 'Zur Liste der Städte'],
};
