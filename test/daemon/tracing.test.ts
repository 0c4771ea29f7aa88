import { afterEach, expect, onTestFinished, test } from 'vitest'
import { newInstance, type Running } from '../support/instance.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { until } from '../support/until.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const SECRET = 'kumquat'

let running: Running | undefined
afterEach(async () => {
  await running?.daemon.kill()
  running = undefined
})

async function start(env: Record<string, string>): Promise<Running> {
  const instance = await newInstance()
  onTestFinished(() => instance.remove())
  return (running = await instance.start({ env: { OTEL_BSP_SCHEDULE_DELAY: '50', ...env } }))
}

test('sends a request with its stages, a document with its steps, and no word of either', async () => {
  const receiver = await startOtlpReceiver()
  const { call, upload } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=library',
    OTEL_SERVICE_NAME: 'search-of-the-library',
  })
  await upload([{ name: `${SECRET}.txt`, content: `${SECRET} jam keeps for a year.` }], { wait: true })
  await call('POST', '/api/v1/search', { query: `"${SECRET} jam"` }, { traceparent: `00-${TRACE}-${PARENT}-01` })
  await call('GET', `/api/v1/documents/${SECRET}?x=${SECRET}`)
  await call('GET', `/api/v1/documents/${SECRET}`)

  const names = () => receiver.spans().map(({ name }) => name)
  await until('all spans to arrive', () => {
    const found = names()
    return ['POST /api/v1/search', 'ingest.document', 'GET /api/v1/documents/{id}'].every((name) => found.includes(name))
  })
  const spans = receiver.spans()
  const one = (name: string) => spans.find((span) => span.name === name)!
  const request = one('POST /api/v1/search')
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, isError: false })
  expect(request.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.route': '/api/v1/search' })
  expect(request.attributes['docsearch.request_id']).toMatch(/^req_/)
  for (const stage of ['search.spelling', 'search.embed', 'search.phrases', 'search.find', 'search.read'])
    expect(one(stage)).toMatchObject({ traceId: TRACE, parentSpanId: request.spanId })
  const document = one('ingest.document')
  for (const step of ['ingest.parse', 'ingest.embed', 'ingest.index'])
    expect(one(step)).toMatchObject({ traceId: document.traceId, parentSpanId: document.spanId })
  expect(document.traceId).not.toBe(TRACE)
  expect(receiver.resources()[0]).toMatchObject({ 'service.name': 'search-of-the-library' })
  expect(receiver.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-tenant': 'library' } })
  expect(receiver.requests.map(({ body }) => body.toString('utf8')).join('')).not.toContain(SECRET)
})

test('sends protobuf by default, samples as configured, and sends the remaining spans when the daemon stops', async () => {
  const receiver = await startOtlpReceiver()
  const { call, daemon } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  })
  await call('GET', '/api/v1/projects')
  await call('GET', '/api/v1/me', undefined, { traceparent: `00-${TRACE}-${PARENT}-01` })
  expect(receiver.requests).toEqual([])
  expect(await daemon.stop()).toBe(0)
  expect(receiver.requests.map(({ type }) => type)).toEqual(['application/x-protobuf'])
  const sent = receiver.requests[0]!.body
  expect(sent.includes(Buffer.from('GET /api/v1/me'))).toBe(true)
  expect(sent.includes(Buffer.from(TRACE, 'hex'))).toBe(true)
  expect(sent.includes(Buffer.from('GET /api/v1/projects'))).toBe(false)
})

test('a receiver that cannot be reached causes one line in the log, and requests continue', async () => {
  const { call, daemon } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  expect((await call('GET', '/api/v1/me')).status).toBe(200)
  await until('the failure to be logged', () => daemon.stderr().includes('spans could not be sent'))
  expect((await call('GET', '/api/v1/me')).status).toBe(200)
})

test('an exporter that docsearch does not have is named in the log', async () => {
  const { daemon } = await start({ OTEL_TRACES_EXPORTER: 'zipkin' })
  expect(daemon.stderr()).toContain('"exporter":"zipkin"')
})
