/** Which setting of `httpservice.servlets` turns a path on. */

/** What load balancers ask. */
export const HEALTH = 'HealthCheckServlet';

const BY_PATH: ReadonlyMap<string, string> = new Map([
  ['/svc/rest', 'JsonRestServlet'],
  ['/svc/csv', 'CsvServlet'],
  ['/svc/upload', 'UploadServlet'],
  ['/svc/proxy', 'ProxyServlet'],
  ['/svc/deploy', 'DeploymentServlet'],
  ['/svc/login', 'LoginServlet'],
  ['/svc/logout', 'LogoutServlet'],
  ['/svc/token', 'TokenServlet'],
  ['/svc/health', HEALTH],
  ['/svc/histogram', 'HistogramServlet'],
  ['/svc/metrics', 'MetricsServlet'],
  ['/svc/openapi', 'OpenAPIServlet'],
  ['/svc/flow', 'FlowServlet'],
  ['/svc/EventSource', 'EventSourceServlet'],
]);
/** Pages and files: whatever is nobody else's. */
export const PAGES = 'HtmlServlet';
const OWN = '/svc/';

/** The servlet that a path belongs to by its name; undefined: to none of these. */
export function servletOf(path: string): string | undefined {
  if (!path.startsWith(OWN)) return undefined;
  const end = path.indexOf('/', OWN.length);
  return BY_PATH.get(end < 0 ? path : path.slice(0, end));
}
