import { expect, test } from 'vitest'
import type { MeasuredSearch } from '../../../src/core/telemetry.ts'
import { Rates } from '../../../src/telemetry/rates.ts'

function search(seconds: number): { type: 'search'; search: MeasuredSearch } {
  const shape = () => {
    throw new Error('nobody needs the shape')
  }
  return { type: 'search', search: { mode: 'hybrid', seconds, stages: {}, degraded: [], shape } }
}

test('counts what happened within the last five minutes, and forgets what is older', () => {
  let now = 0
  const rates = new Rates(() => now)
  rates.note({ type: 'document_ready', mediaType: 'text/plain', passages: 7 })
  rates.note({ type: 'document_failed', mediaType: 'text/plain', code: 'corrupt' })
  for (const seconds of [0.01, 0.02, 0.03, 9]) rates.note(search(seconds))
  now = 60_000
  rates.note({ type: 'request', route: '/', method: 'GET', status: 200, seconds: 1 })
  expect(rates.recent()).toEqual({
    minutes: 1,
    requests: 1,
    searches: 4,
    searchMs: { median: 30, p95: 9000, max: 9000 },
    documentsReady: 1,
    documentsFailed: 1,
    passages: 7,
  })
  now = 5 * 60_000 + 5_000
  expect(rates.recent()).toMatchObject({ minutes: 5, requests: 1, searches: 0, searchMs: null, documentsReady: 0, passages: 0 })
  now = 60 * 60_000
  expect(rates.recent()).toMatchObject({ minutes: 5, requests: 0 })
})

test('uses bounded memory for the times of many searches', () => {
  const rates = new Rates(() => 0)
  for (let i = 0; i < 100_000; i++) rates.note(search(i / 100_000))
  const { searches, searchMs } = rates.recent()
  expect(searches).toBe(100_000)
  // A sample of a hundred is not exact.
  expect(searchMs!.median).toBeGreaterThan(150)
  expect(searchMs!.median).toBeLessThan(850)
})
