import { join } from 'node:path'
import { connect, MatchQuery, type Table } from '@lancedb/lancedb'
import { createBuiltinEmbedder } from '../src/embed/builtin.ts'
import { analyseQuery } from '../src/text/analyse.ts'
import { inParallel, startInstance } from '../test/quality/instance.ts'
import { makeCorpus } from './corpus.ts'
import { type Figure, median, ms, percentile, ratio, timed } from './measure.ts'

const DOCUMENTS = 1_950
const QUERIES = 300
const CLIENTS = 16
/** As many candidates as a search for ten results takes from each channel. */
const CANDIDATES = 200

/** Search over REST against the same two LanceDB queries run bare, on the same index, in this process. */
export async function measureSearch(): Promise<Figure[]> {
  const { documents, queries } = makeCorpus(DOCUMENTS, QUERIES)
  const instance = await startInstance()
  try {
    await instance.load('bench', documents)
    const ask = (query: string, rerank = true): Promise<unknown> =>
      instance.search({ query, project: 'bench', limit: 10, rerank })
    for (const query of queries.slice(0, 50)) await ask(query)
    const alone: number[] = []
    const fused: number[] = []
    // One after the other, so that both see the machine at the same moments.
    for (const query of queries) {
      alone.push((await timed(() => ask(query))).ms)
      fused.push((await timed(() => ask(query, false))).ms)
    }
    const together = await timed(() => inParallel([...queries, ...queries], CLIENTS, ask))
    const lance = join(instance.daemon.dataDir, 'lance')
    await instance.daemon.stop()
    const { bare, chunks } = await measureBare(lance, queries)
    return [
      {
        name: `search over REST in the fused order, one client, ${chunks} chunks, p50 : the same LanceDB vector and keyword queries bare`,
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

async function measureBare(folder: string, queries: readonly string[]): Promise<{ bare: number[]; chunks: number }> {
  const connection = await connect(folder)
  const [name] = await connection.tableNames()
  const table = await connection.openTable(name!)
  const embedder = createBuiltinEmbedder()
  const prepared = await Promise.all(
    queries.map(async (query) => ({ vector: await embedder.embedQuery(query), terms: analyseQuery(query) })),
  )
  const both = ({ vector, terms }: { vector: Float32Array; terms: string[] }): Promise<unknown> =>
    Promise.all([vectorQuery(table, vector), keywordQuery(table, terms)])
  for (const query of prepared.slice(0, 50)) await both(query)
  const bare: number[] = []
  for (const query of prepared) bare.push((await timed(() => both(query))).ms)
  const chunks = await table.countRows()
  await embedder.close()
  connection.close()
  return { bare, chunks }
}

const vectorQuery = (table: Table, vector: Float32Array): Promise<unknown> =>
  table
    .vectorSearch(vector)
    .distanceType('cosine')
    .nprobes(40)
    .refineFactor(4)
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
