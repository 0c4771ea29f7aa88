import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  attributes: Record<string, unknown>
  isError: boolean
}

export interface OtlpReceiver {
  url: string
  /** The spans of JSON requests. */
  spans(): ReceivedSpan[]
  resources(): Record<string, unknown>[]
  /** The content types and bodies of all requests. */
  requests: { type: string; path: string; headers: Record<string, unknown>; body: Buffer }[]
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}
interface Body {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'attributes' | 'isError'> & { attributes: Attribute[]; status?: { code?: number } })[]
    }[]
  }[]
}

/** A receiver of OTLP over HTTP, in this process. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const requests: OtlpReceiver['requests'] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const type = request.headers['content-type'] ?? ''
      requests.push({ type, path: request.url ?? '', headers: { ...request.headers }, body: Buffer.concat(parts) })
      response.writeHead(200, { 'Content-Type': type }).end(type.includes('json') ? '{}' : '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close().closeAllConnections())
  const bodies = () =>
    requests.filter(({ type }) => type.includes('json')).map(({ body }) => JSON.parse(body.toString('utf8')) as Body)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    resources: () => bodies().flatMap((body) => body.resourceSpans.map(({ resource }) => plain(resource.attributes))),
    spans: () =>
      bodies().flatMap((body) =>
        body.resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map(({ traceId, spanId, parentSpanId, name, attributes, status }) => ({
              traceId,
              spanId,
              parentSpanId: parentSpanId ?? '',
              name,
              attributes: plain(attributes),
              isError: status?.code === 2,
            })),
          ),
        ),
      ),
  }
}

function plain(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
