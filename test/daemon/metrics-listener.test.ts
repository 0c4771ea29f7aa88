import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type RealDaemon, startRealDaemon } from '../support/daemon.ts'
import { samplesOf } from '../support/metrics.ts'

let daemon: RealDaemon | undefined
afterEach(async () => {
  await daemon?.dispose()
  daemon = undefined
})

const start = async (listen: string) =>
  (daemon = await startRealDaemon({
    env: { DOCSEARCH_EMBEDDER: 'builtin', DOCSEARCH_PARSE_WORKERS: '1', DOCSEARCH_METRICS_LISTEN: listen },
  }))

/** Sends a request with any Host header. Returns the status. */
function statusOf(url: string, { host, method = 'GET' }: { host?: string; method?: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, ...(host !== undefined && { headers: { Host: host } }) }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    sent.on('error', reject).end()
  })
}

test('metrics.listen serves the metrics without a credential, and nothing else', async () => {
  const { stderr } = await start('127.0.0.1:0')
  const url = /metrics at (http:\S+\/metrics)/.exec(stderr())![1]!
  const answer = await fetch(url)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const names = new Set(samplesOf(await answer.text()).map(({ name }) => name))
  for (const name of [
    'docsearch_build_info',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'docsearch_disk_free_bytes',
  ])
    expect(names).toContain(name)
  for (const path of ['/', '/api/v1/health', '/metrics/', '/login'])
    expect([path, await statusOf(new URL(path, url).href, {})]).toEqual([path, 404])
  expect(await statusOf(url, { method: 'POST' })).toBe(405)
  expect(await statusOf(url, { host: 'evil.example.com' })).toBe(403)
  expect(await statusOf(url, { host: 'localhost:9464' })).toBe(200)
  expect(await daemon!.stop()).toBe(0)
})

test('a port that is taken ends the start, and the message names the setting', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  try {
    await expect(start(`127.0.0.1:${(other.address() as AddressInfo).port}`)).rejects.toThrow(/metrics\.listen.*EADDRINUSE/)
  } finally {
    other.close()
  }
})
