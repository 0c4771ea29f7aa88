import type { Table as ArrowTable } from 'apache-arrow'
import type { PassageHit, Passage } from './chunk-index.ts'
import { READ_CHARS, withinLimits } from './passage-limits.ts'
import { columnOf } from './schema.ts'

/** The columns of a hit, without its score. No more, because each column costs time; the id holds document and version. */
export const HIT_COLUMNS = ['id', 'chunk_index', 'page_start', 'page_end', 'text_hash']

const PASSAGE_FIELDS = [
  'index',
  'pageStart',
  'pageEnd',
  'charStart',
  'charEnd',
  'heading',
  'title',
  'text',
  'gap',
  'context',
  'terms',
] as const satisfies (keyof Passage)[]

/**
 * The columns of a passage as SQL, so that LanceDB returns only as much of a text as docsearch uses. The cast is needed because
 * the Arrow package can't read the type that `left` returns.
 */
export const PASSAGE_COLUMNS: Readonly<Record<string, string>> = Object.fromEntries([
  ['id', 'id'],
  ...PASSAGE_FIELDS.map((field) => {
    const { name } = columnOf(field)
    return [
      name,
      field in READ_CHARS ? `arrow_cast(left(${name}, ${READ_CHARS[field as keyof typeof READ_CHARS]}), 'Utf8')` : name,
    ]
  }),
])

/** Reads the parts of an `IndexedPassage.id`. */
function idsOf(id: string): Pick<PassageHit, 'id' | 'documentId' | 'version'> {
  const last = id.lastIndexOf(':')
  const first = id.lastIndexOf(':', last - 1)
  return { id, documentId: id.slice(0, first), version: Number(id.slice(first + 1, last)) }
}

/**
 * Returns the rows as hits, best first. Hits with equal scores are in the order of their ids, so that equal queries give equal
 * answers. Rows without a score are left out: a vector of zeros has no angle to any other.
 */
export function toHits(rows: ArrowTable, scoreColumn: string, toScore: (value: number) => number): PassageHit[] {
  const ids = rows.getChild('id')!
  const indexes = rows.getChild('chunk_index')!
  const firstPages = rows.getChild('page_start')!
  const lastPages = rows.getChild('page_end')!
  const hashes = rows.getChild('text_hash')!
  const scores = rows.getChild(scoreColumn)!
  const hits: PassageHit[] = []
  for (let i = 0; i < rows.numRows; i++) {
    const score = toScore(scores.get(i) as number)
    if (!Number.isFinite(score)) continue
    hits.push({
      ...idsOf(ids.get(i) as string),
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
  const columns = PASSAGE_FIELDS.map((key) => ({ key, values: rows.getChild(columnOf(key).name)! }))
  const ids = rows.getChild('id')!
  for (let i = 0; i < rows.numRows; i++) {
    const id = ids.get(i) as string
    const values = Object.fromEntries(columns.map(({ key, values }) => [key, values.get(i)]))
    passages.set(id, withinLimits({ ...idsOf(id), ...values } as Passage))
  }
  return passages
}
