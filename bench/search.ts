import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, MatchQuery, type Table } from '@lancedb/lancedb'
import { createBuiltinEmbedder } from '../src/embed/builtin.ts'
import { analyseQuery } from '../src/text/analyse.ts'
import { inParallel, startInstance } from '../test/quality/instance.ts'
import { makeCorpus } from './corpus.ts'
import { type Figure, median, ms, percentile, ratio, timed } from './measure.ts'

const DOCUMENTS = 1_950
const QUERIES = 300
const CLIENTS = 16
/** The number of candidates that a search for ten results takes from each channel. */
const CANDIDATES = 200

/** Compares a search over REST with the same two LanceDB queries alone, on the same index, in this process. */
export async function measureSearch(): Promise<Figure[]> {
  const { documents, queries } = makeCorpus(DOCUMENTS, QUERIES)
  const instance = await startInstance()
  try {
    await instance.load('bench', documents)
    const ask = (query: string, rerank = true): Promise<unknown> =>
      instance.search({ query, project: 'bench', limit: 10, rerank })
    const { chunks, bare: askBare } = await openBare(join(instance.daemon.dataDir, 'lance'))
    const alone: number[] = []
    const fused: number[] = []
    const bare: number[] = []
    // The searches alternate, so that all of them run while the machine is equally busy.
    for (const [i, query] of [...queries.slice(0, 50), ...queries].entries()) {
      const times = [await timed(() => askBare(query)), await timed(() => ask(query)), await timed(() => ask(query, false))].map(
        ({ ms }) => ms,
      )
      // The first searches only warm up.
      if (i < 50) continue
      for (const [k, list] of [bare, alone, fused].entries()) list.push(times[k]!)
    }
    const together = await timed(() => inParallel([...queries, ...queries], CLIENTS, ask))
    return [
      {
        name: `search over REST in the fused order, one client, ${chunks} passages, p50 : the same LanceDB vector and keyword queries bare`,
        value: `${ratio(median(fused) / median(bare))} (${ms(median(fused))} : ${ms(median(bare))})`,
        bound: '≤ 2',
      },
      {
        name: 'the same search with the built-in reranker, p50 : without',
        value: `${ratio(median(alone) / median(fused))} (${ms(median(alone))} : ${ms(median(fused))})`,
        bound: '≤ 1.5',
      },
      {
        name: 'search over REST, reranked, one client, p95',
        value: `${ms(percentile(alone, 0.95))} (bare ${ms(percentile(bare, 0.95))})`,
      },
      {
        name: `search over REST, reranked, ${CLIENTS} clients`,
        value: `${Math.round((queries.length * 2) / (together.ms / 1000))} requests/s`,
      },
    ]
  } finally {
    await instance.dispose()
  }
}

/** Opens the daemon's index in this process, after the daemon has optimised it. It stays the same from then on. */
async function openBare(folder: string): Promise<{ chunks: number; bare: (query: string) => Promise<unknown> }> {
  const connection = await connect(folder)
  const [name] = await connection.tableNames()
  const table = await connection.openTable(name!)
  while (!(await isInOrder(table))) await sleep(500)
  const embedder = createBuiltinEmbedder()
  return {
    chunks: await table.countRows(),
    bare: async (query) =>
      Promise.all([vectorQuery(table, await embedder.embedQuery(query)), keywordQuery(table, analyseQuery(query))]),
  }
}

async function isInOrder(table: Table): Promise<boolean> {
  await table.checkoutLatest()
  const indexes = await table.listIndices()
  const stats = await Promise.all(indexes.map(({ name }) => table.indexStats(name)))
  return indexes.some(({ columns }) => columns.includes('vector')) && stats.every((one) => one?.numUnindexedRows === 0)
}

const vectorQuery = (table: Table, vector: Float32Array): Promise<unknown> =>
  table
    .vectorSearch(vector)
    .distanceType('cosine')
    .nprobes(40)
    .refineFactor(1)
    .select(['id', 'text', '_distance'])
    .limit(CANDIDATES)
    .toArrow()

const keywordQuery = (table: Table, terms: string[]): Promise<unknown> =>
  table
    .query()
    .fullTextSearch(new MatchQuery(terms.join(' '), 'terms'))
    .select(['id', 'text', '_score'])
    .limit(CANDIDATES)
    .toArrow()
