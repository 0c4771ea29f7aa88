import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BOMBS, endOf } from '../support/bombs.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { makeDocx, makePdf, type Part } from '../support/make-documents.ts'
import { residentMemory, watchMemory } from '../support/memory.ts'
import { until } from '../support/until.ts'

const GOOD = 100
/** Resident memory at rest after the round with bombs by that after the round without: what is more has stayed of them. */
const MOST_GROWTH = 1.25

let instance: Instance
let running: Running
let outside: string

beforeAll(async () => {
  instance = await newInstance({ DOCSEARCH_PARSE_WORKERS: '2' })
  outside = join(instance.home, 'tmp')
  mkdirSync(outside)
  running = await instance.start({ env: { TMPDIR: outside } })
})
afterAll(() => instance?.remove())

async function goodFiles(round: string): Promise<{ name: string; content: Uint8Array<ArrayBuffer> }[]> {
  const part = (i: number, j: number): Part => ({
    text: `Round ${round}, document ${i}, paragraph ${j}. ${'The rent is due on the third working day of a month. '.repeat(8)}`,
  })
  const parts = (i: number, count: number): Part[] => Array.from({ length: count }, (_, j) => part(i, j))
  return Promise.all(
    Array.from({ length: GOOD }, async (_, i) => {
      const pdf = i % 5 < 3
      const bytes = pdf
        ? await makePdf(Array.from({ length: 30 }, (_, page) => parts(i * 100 + page, 6)))
        : await makeDocx(parts(i, 120))
      return { name: `good-${round}-${i}.${pdf ? 'pdf' : 'docx'}`, content: new Uint8Array(bytes) }
    }),
  )
}

/** Milliseconds of the clock until all the good ones can be found, and the most memory the daemon had meanwhile, in bytes. */
async function measure(round: string, bombs: { name: string; content: Uint8Array<ArrayBuffer> }[]) {
  const files = await goodFiles(round)
  const every = Math.floor(GOOD / Math.max(bombs.length, 1))
  const memory = watchMemory(running.daemon.pid)
  const began = performance.now()
  for (const [i, file] of files.entries()) {
    const bomb = i % every === 0 ? bombs[i / every] : undefined
    if (bomb !== undefined) await running.upload([bomb])
    expect((await running.upload([file])).status).toBe(202)
  }
  const sent = performance.now() - began
  await until('the good ones ready', async () => (await running.project('default')).statuses.ready >= GOOD * ready, 600_000)
  const took = performance.now() - began
  return { sentMs: Math.round(sent), tookMs: Math.round(took), peak: memory.end() }
}
let ready = 0

test(`eight bombs among ${GOOD} good files: each ends as it should, nothing is left of them, in memory neither; times and peaks are printed`, async () => {
  const bombs = Object.entries(BOMBS).map(([name, { make }]) => ({ name, content: new Uint8Array(make()) }))
  // The first is a warm-up.
  const rounds = []
  const rest: number[] = []
  for (const [round, mixed] of [
    ['warm', []],
    ['alone', []],
    ['with', bombs],
  ] as const) {
    ready++
    rounds.push(await measure(round, [...mixed]))
    await running.settled(600_000)
    rest.push(residentMemory(running.daemon.pid))
  }
  const [, alone, together] = rounds
  const [, restAlone, restTogether] = rest
  console.log(JSON.stringify({ alone, together, ratio: +(together!.tookMs / alone!.tookMs).toFixed(2), rest }))
  for (const { name, status, error } of await running.documents()) {
    if (name in BOMBS) expect(BOMBS[name]!.codes, name).toContain(endOf({ status, error }))
    else expect(status, name).toBe('ready')
  }
  if (restAlone! > 0) expect(restTogether! / restAlone!).toBeLessThan(MOST_GROWTH)
  expect(await running.daemon.stop()).toBe(0)
  expect(readdirSync(outside)).toEqual([])
})
