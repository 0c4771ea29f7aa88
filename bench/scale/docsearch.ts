import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import { type Instance, startInstance } from '../../test/quality/instance.ts'
import { residentMemory } from '../../test/support/memory.ts'
import { processorTime } from '../../test/support/processor-time.ts'
import { peakMemory } from '../ingest.ts'
import { timed } from '../measure.ts'
import { type CpuTime, cpuTime } from './cpu-time.ts'
import type { GeneratedDocument, GeneratedText } from '../../test/support/generated-text.ts'
import { folderSize } from '../../test/support/folder-size.ts'
import { httpClient } from './http-client.ts'

export const PROJECT = 'scale'
/** Documents are generated and uploaded in parts, because a million passages do not fit into this process. */
const PASSAGES_IN_PART = 20_000
/** Documents from this number on are only for the warm-up. */
const WARM_UP_FROM = 900_000
const IDLE_MS = 5_000

/** A running daemon with the collection, and what the measurements ask of it. */
export interface Docsearch {
  name: string
  instance: Instance
  search(request: Omit<SearchRequest, 'project'>): Promise<SearchAnswer>
  /** Asks who the caller is, which costs little more than a request. */
  me(): Promise<unknown>
  /** Restarts the daemon on its data, with the same settings. */
  restart(): Promise<void>
  /** Waits until the daemon has nothing to do. */
  calm(): Promise<void>
  memory(): number
  peakMemory(): number
  cpuTime(): CpuTime
  indexBytes(): number
  passages(): Promise<number>
  dispose(): Promise<void>
}

/** Starts the docsearch of a checkout; null is this one. Variables with settings reach it. */
export async function startDocsearch(checkout: string | null): Promise<Docsearch> {
  const settings = Object.entries(process.env).filter(([name]) => /^DOCSEARCH_(?!TEST_)/.test(name))
  const env = Object.fromEntries(settings) as Record<string, string>
  const bin = checkout === null ? undefined : resolve(checkout, 'bin', 'docsearch.js')
  const instance = await startInstance(['--embedder', 'builtin'], env, bin)
  const headers = { Authorization: `Bearer ${instance.token}` }
  let client = httpClient(instance.daemon.url, headers)
  const pid = () => instance.daemon.pid
  return {
    name: checkout === null ? 'docsearch' : `docsearch in ${checkout}`,
    instance,
    search: async (request) => (await client.post('/api/v1/search', { project: PROJECT, ...request })) as SearchAnswer,
    me: () => client.get('/api/v1/me'),
    async restart() {
      client.close()
      await instance.restart(env)
      client = httpClient(instance.daemon.url, headers)
    },
    calm: () => untilCalm(pid()),
    memory: () => residentMemory(pid()),
    peakMemory: () => peakMemory(pid()) ?? 0,
    cpuTime: () => cpuTime(pid()),
    indexBytes: () => ['lance', 'segments'].reduce((sum, name) => sum + folderSize(join(instance.daemon.dataDir, name)), 0),
    passages: async () => ((await client.get(`/api/v1/projects/${PROJECT}`)) as { chunk_count: number }).chunk_count,
    async dispose() {
      client.close()
      await instance.dispose()
    },
  }
}

/**
 * Loads documents in parts. Returns the passages a second of all parts and of the last one, and of all parts for each second of processor
 * time, which other programs on the machine change less.
 */
export async function load(
  { instance, passages }: Docsearch,
  corpus: GeneratedText,
  documents: number,
): Promise<{ all: number; last: number; perProcessorSecond: number }> {
  const inPart = corpus.documentsFor(PASSAGES_IN_PART)
  // The first documents start the parsers and compile their code.
  await instance.load(PROJECT, documentsBetween(corpus, WARM_UP_FROM, WARM_UP_FROM + 20))
  const atFirst = await passages()
  const processorMs = processorTime(instance.daemon.pid)
  let [seconds, last, before] = [0, 0, atFirst]
  for (let from = 0; from < documents; from += inPart) {
    const part = documentsBetween(corpus, from, Math.min(from + inPart, documents))
    const { ms } = await timed(() => instance.load(PROJECT, part))
    const now = await passages()
    seconds += ms / 1000
    last = ((now - before) / ms) * 1000
    before = now
    console.error(`${now} passages loaded, ${Math.round(last)} a second`)
  }
  const perProcessorSecond = ((before - atFirst) * 1000) / (processorTime(instance.daemon.pid) - processorMs)
  return { all: (before - atFirst) / seconds, last, perProcessorSecond }
}

export function documentsBetween(corpus: GeneratedText, from: number, to: number): GeneratedDocument[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => corpus.document(from + i))
}

/** Returns the memory some seconds after a start, and the milliseconds from another start to an answer with results. */
export async function measureStart(daemon: Docsearch, question: string): Promise<{ idleBytes: number; firstAnswerMs: number }> {
  await daemon.restart()
  await sleep(IDLE_MS)
  const idleBytes = daemon.memory()
  await daemon.restart()
  const { ms } = await timed(async () => {
    for (;;) {
      const { results } = await daemon.search({ query: question })
      if (results.length > 0) return
    }
  })
  return { idleBytes, firstAnswerMs: daemon.instance.daemon.startedAfterMs + ms }
}

async function untilCalm(pid: number): Promise<void> {
  for (let i = 0; i < 150; i++) {
    const before = cpuTime(pid).all
    await sleep(2_000)
    if (cpuTime(pid).all - before < 100) return
  }
}
