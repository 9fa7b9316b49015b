import { group, integer, multiChoice } from '../../setting.js';

/** What is active unless told otherwise; beside these there is EventSourceServlet. */
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

export const servletSettings = {
  ...group('servlets/General', {
    'httpservice.servlets': multiChoice(
      SERVLETS,
      'What answers below /svc; EventSourceServlet can be added. Paths of one that is left out answer 404',
      { restart: true },
    ),
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
