/** Traces of requests, as a collector of OpenTelemetry gets them (docs/interface/monitoring.md 10). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

interface Sent {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
}

it('are sent for requests and their transactions, and go on from those of the client', async () => {
  const spans: Sent[] = [];
  let text = '';
  const collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      text += body;
      const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Sent[] }[] }[] };
      for (const { scopeSpans } of sent.resourceSpans) for (const one of scopeSpans) spans.push(...one.spans);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((collector.address() as AddressInfo).port)}/v1/traces`;
  const server = await TestServer.start({ settings: { 'tracing.enabled': true, 'tracing.url': url } });
  const trace = '0af7651916cd43dd8448eb211c80319c';
  await server.admin.get('/User?name=a-secret-value', { traceparent: `00-${trace}-b7ad6b7169203331-01` });
  await server.admin.create('Group', { name: 'g' });
  // What was recorded leaves with the end of the service.
  await server.stop();
  const got = spans.find(({ name }) => name === 'GET /svc/rest/User');
  expect(got).toMatchObject({ traceId: trace, parentSpanId: 'b7ad6b7169203331' });
  expect(
    Object.fromEntries(got?.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]) ?? []),
  ).toEqual({
    'http.request.method': 'GET',
    'url.scheme': 'http',
    'http.route': '/svc/rest/User',
    'http.response.status_code': 200,
  });
  expect(spans.some(({ name, parentSpanId }) => name === 'read transaction' && parentSpanId === got?.spanId)).toBe(
    true,
  );
  const posted = spans.find(({ name }) => name === 'POST /svc/rest/Group');
  expect(spans.some(({ name, parentSpanId }) => name === 'write transaction' && parentSpanId === posted?.spanId)).toBe(
    true,
  );
  expect(text).not.toContain('a-secret-value');
  await new Promise((resolve) => collector.close(resolve));
});
