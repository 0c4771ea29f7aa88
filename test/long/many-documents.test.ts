import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { residentMemory } from '../support/memory.ts'

const MANY = Number(process.env.DOCSEARCH_TEST_DOCUMENTS ?? 10_000)
const FEW = 10
const IN_REQUEST = 20
/**
 * Resident memory after the last tenth by that after the fifth. It goes up and down by some hundredths with the collector; a daemon
 * that keeps something of each document has grown by more, because the documents have doubled.
 */
const MOST_GROWTH = 1.25

let instance: Instance
let running: Running

beforeAll(async () => {
  instance = await newInstance()
  running = await instance.start()
})
afterAll(() => instance?.remove())

/** The same text with another line, as copies of a form are. */
function copy(i: number): string {
  return `Form ${i}\n\n${'The rent is due on the third working day of a month.\n\n'.repeat(20)}Signed by tenant number ${i}.\n`
}

async function send(from: number, to: number): Promise<void> {
  for (let i = from; i < to; i += IN_REQUEST) {
    const files = Array.from({ length: Math.min(IN_REQUEST, to - i) }, (_, j) => ({
      name: `form-${i + j}.txt`,
      content: copy(i + j),
    }))
    expect((await running.upload(files)).status).toBe(202)
  }
  await running.settled(1_800_000)
}

/** The median of eleven answers, in milliseconds. */
async function answerMs(path: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 11; i++) {
    const began = performance.now()
    const response = await fetch(running.daemon.url + path, { headers: { Authorization: `Bearer ${running.token}` } })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)[5]!
}

const PATHS = [
  '/api/v1/documents?limit=10',
  '/api/v1/documents?limit=10&project=default&status=ready',
  '/api/v1/documents?limit=10&warnings=true',
  '/api/v1/projects',
  '/api/v1/health',
]

test(`${MANY} documents in one project: all ready, memory after the last tenth as after the fifth; answers beside those with ${FEW} are printed`, async () => {
  await send(0, FEW)
  const before: number[] = []
  for (const path of PATHS) before.push(await answerMs(path))
  const memory: number[] = []
  const began = performance.now()
  const step = Math.ceil((MANY - FEW) / 10)
  for (let from = FEW; from < MANY; from += step) {
    await send(from, Math.min(from + step, MANY))
    memory.push(residentMemory(running.daemon.pid))
  }
  const seconds = (performance.now() - began) / 1000
  const after: number[] = []
  for (const path of PATHS) after.push(await answerMs(path))
  console.log(
    JSON.stringify({
      documents: MANY,
      perSecond: Math.round(MANY / seconds),
      memoryMB: memory.map((bytes) => Math.round(bytes / 1e6)),
      growth: +(memory.at(-1)! / memory[4]!).toFixed(2),
      answers: Object.fromEntries(
        PATHS.map((path, i) => [
          path,
          { ms: [+before[i]!.toFixed(1), +after[i]!.toFixed(1)], ratio: +(after[i]! / before[i]!).toFixed(2) },
        ]),
      ),
    }),
  )
  expect((await running.project('default')).statuses).toEqual({ queued: 0, processing: 0, ready: MANY, failed: 0 })
  if (memory[4]! > 0) expect(memory.at(-1)! / memory[4]!).toBeLessThan(MOST_GROWTH)
})
