import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inParallel } from '../quality/instance.ts'
import { folderSize } from '../support/folder-size.ts'
import { generatedText } from '../support/generated-text.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { residentMemory } from '../support/memory.ts'
import { until } from '../support/until.ts'
import { rareWord } from '../support/words.ts'

const PASSAGES = Number(process.env.DOCSEARCH_TEST_PASSAGES ?? 1_000_000)
const TENTHS = 10
const IN_REQUEST = 20
/** How many documents one search looks for, each by its own word. */
const IN_SEARCH = 20
const HOURS = 3_600_000
/**
 * How much resident memory may grow from the fifth tenth to the last, apart from the files that search keeps in memory: a share of the
 * memory after the fifth. A daemon that keeps more for each passage grows by more, because the number of passages has doubled.
 */
const MAX_GROWTH = 0.25
/** With fewer passages, V8 and malloc still take the memory that every busy daemon needs. */
const MIN_PASSAGES_FOR_MEMORY = 200_000

interface Known {
  name: string
  word: string
  id: string
}

let instance: Instance
let running: Running
const text = generatedText()
/** Every acknowledged document. */
const documents: Known[] = []

beforeAll(async () => {
  instance = await newInstance({ DOCSEARCH_PARSE_WORKERS: '2' })
  running = await instance.start()
})
afterAll(() => instance?.remove())

/** Uploads generated documents, each with a word that no other document has, and waits until all documents are ready. */
async function send(from: number, to: number): Promise<void> {
  for (let i = from; i < to; i += IN_REQUEST) {
    const files = Array.from({ length: Math.min(IN_REQUEST, to - i) }, (_, j) => {
      const { name, content } = text.document(i + j)
      const word = rareWord()
      return { name, word, content: `${content}\nThe mark of this document is ${word}.\n` }
    })
    const { status, body } = await running.upload(files)
    expect(status).toBe(202)
    for (const [j, { name, word }] of files.entries()) documents.push({ name, word, id: body.documents[j]!.id })
  }
  await until(
    `${to} documents ready`,
    async () => {
      const { queued, processing } = (await running.project('default')).statuses
      return queued + processing === 0
    },
    HOURS,
  )
}

/** Expects that searches find exactly these documents by their words. Several words go into one search. */
async function expectFound(wanted: readonly Known[], gone: ReadonlySet<Known> = new Set()): Promise<void> {
  const parts = Array.from({ length: Math.ceil(wanted.length / IN_SEARCH) }, (_, i) =>
    wanted.slice(i * IN_SEARCH, (i + 1) * IN_SEARCH),
  )
  await inParallel(parts, 4, async (part) => {
    const query = part.map(({ word }) => word).join(' ')
    const { results } = await running.search(query, { mode: 'keyword', group_by: 'document', limit: 100, correct: false })
    const names = part.filter((one) => !gone.has(one)).map(({ name }) => name)
    expect(results.map(({ document }) => document.name).toSorted()).toEqual(names.toSorted())
  })
}

/** Searches for documents that are ready until `isOver`, while others are loaded. Returns the number of searches. */
async function searchWhile(isOver: () => boolean, ready: readonly Known[], questions: readonly string[]): Promise<number> {
  let searches = 0
  while (!isOver()) {
    const one = ready[Math.floor(Math.random() * ready.length)]!
    await expectFound([one])
    const { results } = await running.search(questions[searches % questions.length]!)
    expect(new Set(results.map(({ chunk }) => chunk.id)).size).toBe(results.length)
    searches += 2
  }
  return searches
}

test(
  `${PASSAGES} passages: loads, searches, restarts and deletes; every acknowledged document is found, and memory levels off`,
  { timeout: 6 * HOURS },
  async () => {
    const count = text.documentsFor(PASSAGES)
    const questions = text.questions(100, count)
    const memory: { resident: number; files: number }[] = []
    let searches = 0
    for (let tenth = 0; tenth < TENTHS; tenth++) {
      const ready = [...documents]
      let isLoaded = false
      const loading = send(Math.round((count * tenth) / TENTHS), Math.round((count * (tenth + 1)) / TENTHS)).finally(
        () => (isLoaded = true),
      )
      if (ready.length > 0) searches += await searchWhile(() => isLoaded, ready, questions)
      await loading
      const files = folderSize(join(instance.dataDir, 'segments'))
      memory.push({ resident: residentMemory(running.daemon.pid), files })
    }
    const { chunk_count, statuses } = await running.project('default')
    const MB = (bytes: number): number => Math.round(bytes / 1e6)
    console.log(
      JSON.stringify({
        documents: count,
        passages: chunk_count,
        searches,
        memoryMB: memory.map(({ resident }) => MB(resident)),
        segmentsMB: memory.map(({ files }) => MB(files)),
      }),
    )
    expect(statuses).toEqual({ queued: 0, processing: 0, ready: count, failed: 0 })
    expect(chunk_count).toBeGreaterThan(PASSAGES * 0.8)
    await expectFound(documents)

    expect(await running.daemon.stop()).toBe(0)
    running = await instance.start()
    await expectFound(documents)

    const gone = new Set(documents.filter((_, i) => i % 10 === 0))
    await inParallel([...gone], 4, async ({ id }) => {
      expect((await running.call('DELETE', `/api/v1/documents/${id}`)).status).toBe(204)
    })
    await expectFound(documents, gone)
    expect((await running.project('default')).document_count).toBe(count - gone.size)

    const [fifth, last] = [memory[4]!, memory.at(-1)!]
    if (fifth.resident > 0 && PASSAGES >= MIN_PASSAGES_FOR_MEMORY)
      expect(last.resident - fifth.resident).toBeLessThan(MAX_GROWTH * fifth.resident + last.files - fifth.files)
  },
)
