import type { Table as ArrowTable } from 'apache-arrow'
import type { ChunkHit, Passage } from './chunk-index.ts'

/** Columns that a hit needs, apart from its score. */
export const HIT_COLUMNS = ['id', 'document_id', 'version', 'chunk_index', 'page_start', 'page_end', 'text_hash']

const PASSAGE_COLUMNS = {
  id: 'id',
  document_id: 'documentId',
  version: 'version',
  chunk_index: 'index',
  page_start: 'pageStart',
  page_end: 'pageEnd',
  char_start: 'charStart',
  char_end: 'charEnd',
  heading: 'heading',
  title: 'title',
  text: 'text',
  gap: 'gap',
  context: 'context',
  terms: 'terms',
} as const satisfies Record<string, keyof Passage>

export const passageColumns = Object.keys(PASSAGE_COLUMNS)

/**
 * Hits in the order of the answer, best first; equal scores in the order of their ids, so that two equal queries agree. What has
 * no score (a vector of zeros is at no angle to anything) is no hit.
 */
export function toHits(rows: ArrowTable, scoreColumn: string, toScore: (value: number) => number): ChunkHit[] {
  const ids = rows.getChild('id')!
  const documents = rows.getChild('document_id')!
  const versions = rows.getChild('version')!
  const indexes = rows.getChild('chunk_index')!
  const firstPages = rows.getChild('page_start')!
  const lastPages = rows.getChild('page_end')!
  const hashes = rows.getChild('text_hash')!
  const scores = rows.getChild(scoreColumn)!
  const hits: ChunkHit[] = []
  for (let i = 0; i < rows.numRows; i++) {
    const score = toScore(scores.get(i) as number)
    if (!Number.isFinite(score)) continue
    hits.push({
      id: ids.get(i) as string,
      documentId: documents.get(i) as string,
      version: versions.get(i) as number,
      index: indexes.get(i) as number,
      pageStart: firstPages.get(i) as number,
      pageEnd: lastPages.get(i) as number,
      textHash: hashes.get(i) as string,
      score,
    })
  }
  return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

export function toPassages(rows: ArrowTable): Map<string, Passage> {
  const passages = new Map<string, Passage>()
  const columns = Object.entries(PASSAGE_COLUMNS).map(([column, key]) => ({ key, values: rows.getChild(column)! }))
  for (let i = 0; i < rows.numRows; i++) {
    const passage = Object.fromEntries(columns.map(({ key, values }) => [key, values.get(i)])) as unknown as Passage
    passages.set(passage.id, passage)
  }
  return passages
}
