import { group, integer, multiChoice, string } from '../../setting.js';

/** What is active unless told otherwise; beside these there are EventSourceServlet and MetricsServlet. */
const SERVLETS = [
  'JsonRestServlet',
  'HtmlServlet',
  'CsvServlet',
  'UploadServlet',
  'ProxyServlet',
  'DeploymentServlet',
  'LoginServlet',
  'LogoutServlet',
  'TokenServlet',
  'HealthCheckServlet',
  'HistogramServlet',
  'OpenAPIServlet',
  'FlowServlet',
] as const;

/** Of those who watch a service, most run on its machine. */
const LOCAL = '127.0.0.1, localhost, ::1';

export const servletSettings = {
  ...group('servlets/General', {
    'httpservice.servlets': multiChoice(
      SERVLETS,
      'What answers below /svc; EventSourceServlet and MetricsServlet can be added. Paths of one that is left out answer 404',
      { restart: true, among: [...SERVLETS, 'EventSourceServlet', 'MetricsServlet'] },
    ),
  }),
  ...group('servlets/CsvServlet', {
    'csvservlet.defaultview': string('public', 'View of a table whose address names none'),
    'csvservlet.outputdepth': integer(3, 'How deep related objects are written into a cell', { min: 0, max: 100 }),
  }),
  ...group('servlets/HealthCheckServlet', {
    'healthcheckservlet.whitelist': string(
      LOCAL,
      'Addresses, separated by commas, that get the health document as a whole',
    ),
  }),
  ...group('servlets/HistogramServlet', {
    'histogramservlet.whitelist': string(LOCAL, 'Addresses, separated by commas, that may read the times of queries'),
  }),
  ...group('servlets/MetricsServlet', {
    'metricsservlet.whitelist': string(LOCAL, 'Addresses, separated by commas, that may read the metrics'),
  }),
  ...group('servlets/EventSourceServlet', {
    'eventsourceservlet.streams.most': integer(20_000, 'Streams of events that may be open', { min: 0 }),
    'eventsourceservlet.waiting.most': integer(
      1024,
      'What may wait for the client of a stream (KB); it ends with more, and the client comes back',
      { min: 16 },
    ),
    'eventsourceservlet.known.most': integer(
      10_000,
      'Objects of which a subscription knows that it shows them, so that it can tell when they leave',
      { min: 0, restart: true },
    ),
    'eventsourceservlet.known.total': integer(1_000_000, 'The same for all subscriptions together', {
      min: 0,
      restart: true,
    }),
  }),
};
