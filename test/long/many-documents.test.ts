import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DocumentList } from '../../src/contract/documents.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { residentMemory } from '../support/memory.ts'
import { processorTime } from '../support/processor-time.ts'
import { until } from '../support/until.ts'

const MANY = Number(process.env.DOCSEARCH_TEST_DOCUMENTS ?? 10_000)
const FEW = 10
const IN_REQUEST = 20
const ROUNDS = 31
/**
 * Resident memory after the last tenth, divided by that after the fifth tenth. The garbage collector changes it by a few hundredths. A daemon
 * that keeps memory for each document grows by more, because the number of documents has doubled.
 */
const MAX_GROWTH = 1.25

/** An instance with few documents and one with many, so that both are measured in the same minutes. */
interface Side {
  instance: Instance
  running: Running
}
let few: Side
let many: Side

beforeAll(async () => {
  const [a, b] = [await newInstance(), await newInstance()]
  few = { instance: a, running: await a.start() }
  many = { instance: b, running: await b.start() }
})
afterAll(() => Promise.all([few, many].map((side) => side?.instance.remove())))

/** Returns the same text with another line, like copies of a form. */
function copy(i: number): string {
  return `Form ${i}\n\n${'The rent is due on the third working day of a month.\n\n'.repeat(20)}Signed by tenant number ${i}.\n`
}

async function send({ running }: Side, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i += IN_REQUEST) {
    const files = Array.from({ length: Math.min(IN_REQUEST, to - i) }, (_, j) => ({
      name: `form-${i + j}.txt`,
      content: copy(i + j),
    }))
    expect((await running.upload(files)).status).toBe(202)
  }
  await until(
    `${to} documents ready`,
    async () => {
      const { queued, processing } = (await running.project('default')).statuses
      return queued + processing === 0
    },
    1_800_000,
  )
}

const LIST = '/api/v1/documents?limit=5'
/** The calls that users and pages make to list documents and to show their state. */
const CALLS: Record<string, (of: { id: string; sha256: string; cursor: string }) => string> = {
  documents: () => LIST,
  'documents, the last page': ({ cursor }) => `${LIST}&cursor=${encodeURIComponent(cursor)}`,
  'documents of a project': () => `${LIST}&project=default`,
  'documents that are ready': () => `${LIST}&status=ready`,
  'documents of a project that failed': () => `${LIST}&project=default&status=failed`,
  'documents with warnings': () => `${LIST}&warnings=true`,
  'documents that are ready with warnings': () => `${LIST}&warnings=true&status=ready`,
  'documents without warnings': () => `${LIST}&warnings=false`,
  'documents by name': () => `${LIST}&name=form`,
  'documents by a name that none has': () => `${LIST}&name=invoice`,
  'documents by hash': ({ sha256 }) => `${LIST}&sha256=${sha256}`,
  document: ({ id }) => `/api/v1/documents/${id}`,
  projects: () => '/api/v1/projects',
  project: () => '/api/v1/projects/default',
  health: () => '/api/v1/health',
  models: () => '/api/v1/models',
  me: () => '/api/v1/me',
}

/** The parameters of a side's calls: its newest document, and the cursor of its last result page. */
async function namesOf({ running }: Side): Promise<{ id: string; sha256: string; cursor: string }> {
  const page = async (query: string) => (await running.call<DocumentList>('GET', `/api/v1/documents?${query}`)).body
  const [newest] = (await page('limit=1')).documents
  let cursor = ''
  for (let next: string | null = ''; next !== null;) {
    cursor = next
    next = (await page(`limit=5${next && `&cursor=${encodeURIComponent(next)}`}`)).next_cursor
  }
  return { id: newest!.id, sha256: newest!.sha256, cursor }
}

/** Returns the medians of many answers in milliseconds, with few documents and with many, measured in turns. */
async function answerTimes(): Promise<Record<string, { ms: [number, number]; ratio: number }>> {
  const sides = [
    { ...few.running, names: await namesOf(few) },
    { ...many.running, names: await namesOf(many) },
  ]
  const times = Object.keys(CALLS).map(() => sides.map((): number[] => []))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, pathOf] of Object.values(CALLS).entries()) {
      for (const [k, { call, names }] of sides.entries()) {
        const began = performance.now()
        expect((await call('GET', pathOf(names))).status).toBe(200)
        times[i]![k]!.push(performance.now() - began)
      }
    }
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[list.length >> 1]!
  return Object.fromEntries(
    Object.keys(CALLS).map((name, i) => {
      const [a, b] = [median(times[i]![0]!), median(times[i]![1]!)]
      return [name, { ms: [+a.toFixed(1), +b.toFixed(1)], ratio: +(b / a).toFixed(2) }]
    }),
  )
}

test(`${MANY} documents in one project: all become ready, memory stops growing; prints answer times next to those with ${FEW}`, async () => {
  await send(few, 0, FEW)
  const { pid } = many.running.daemon
  const memory: number[] = []
  const perProcessorSecond: number[] = []
  const step = Math.ceil(MANY / 10)
  for (let from = 0; from < MANY; from += step) {
    const before = processorTime(pid)
    const to = Math.min(from + step, MANY)
    await send(many, from, to)
    perProcessorSecond.push(Math.round(((to - from) * 1000) / (processorTime(pid) - before)))
    memory.push(residentMemory(pid))
  }
  console.log(
    JSON.stringify({
      documents: MANY,
      perProcessorSecond,
      memoryMB: memory.map((bytes) => Math.round(bytes / 1e6)),
      growth: +(memory.at(-1)! / memory[4]!).toFixed(2),
      answers: await answerTimes(),
    }),
  )
  expect((await many.running.project('default')).statuses).toEqual({ queued: 0, processing: 0, ready: MANY, failed: 0 })
  if (memory[4]! > 0) expect(memory.at(-1)! / memory[4]!).toBeLessThan(MAX_GROWTH)
})
