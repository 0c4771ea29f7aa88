import { connect, Index, makeArrowTable, MatchQuery, type Table } from '@lancedb/lancedb'
import { Field, FixedSizeList, Float16, Schema, Utf8 } from 'apache-arrow'
import { analyse, analyseQuery } from '../../../src/text/analyse.ts'
import { folderSize } from '../../../test/support/folder-size.ts'
import { timed } from '../../measure.ts'
import type { BuildRival } from './rival.ts'

/** The number of candidates that a search for ten results takes from each channel. */
const CANDIDATES = 200

/** LanceDB in this process: an index of words and one of vectors, asked in parallel, without fusion, filters or a server. */
export const buildLanceDb: BuildRival = async ({ folder, passages, embed }) => {
  let table: Table | undefined
  const { ms } = await timed(async () => {
    const connection = await connect(folder)
    for await (const batch of passages()) {
      const rows = batch.map(({ id, text, vector }) => ({
        id,
        text,
        terms: analyse(text)
          .map(({ term }) => term)
          .join(' '),
        vector: Array.from(vector),
      }))
      const arrow = makeArrowTable(rows, { schema: schemaOf(batch[0]!.vector.length) })
      if (table === undefined) table = await connection.createTable('passages', arrow)
      else await table.add(arrow)
    }
    await table!.createIndex('terms', {
      config: Index.fts({ baseTokenizer: 'whitespace', withPosition: false, stem: false, removeStopWords: false }),
    })
    if ((await table!.countRows()) >= 10_000)
      await table!.createIndex('vector', { config: Index.ivfRq({ distanceType: 'cosine', numBits: 4 }) })
    await table!.optimize({ cleanupOlderThan: new Date() })
  })
  return {
    name: 'LanceDB, words and vectors',
    buildMs: ms,
    bytes: folderSize(folder),
    async search(question: string) {
      const vector = await embed(question)
      const [nearest] = await Promise.all([nearestTo(table!, vector), withWords(table!, analyseQuery(question))])
      return nearest.slice(0, 10).map(({ text }: { text: string }) => text)
    },
    async close() {
      table!.close()
    },
  }
}

const schemaOf = (dimensions: number): Schema =>
  new Schema([
    new Field('id', new Utf8(), false),
    new Field('text', new Utf8(), false),
    new Field('terms', new Utf8(), false),
    new Field('vector', new FixedSizeList(dimensions, new Field('item', new Float16(), true)), true),
  ])

const nearestTo = (table: Table, vector: Float32Array) =>
  table
    .vectorSearch(vector)
    .distanceType('cosine')
    .nprobes(40)
    .refineFactor(1)
    .select(['id', 'text', '_distance'])
    .limit(CANDIDATES)
    .toArray() as Promise<{ text: string }[]>

const withWords = (table: Table, terms: readonly string[]): Promise<unknown> =>
  table
    .query()
    .fullTextSearch(new MatchQuery(terms.join(' '), 'terms'))
    .select(['id', 'text', '_score'])
    .limit(CANDIDATES)
    .toArrow()
