import { DocsearchError } from '../../src/core/errors.ts'
import { foldName } from '../../src/core/fold-name.ts'
import { type Condition, conditionsOf, type SearchFilter } from '../../src/core/search-filter.ts'
import type { PassageHit, ChunkIndex, ChunkIndexStore, IndexedPassage, Passage } from '../../src/index/chunk-index.ts'
import { MAX_PASSAGE_CHARS } from '../../src/core/text-limits.ts'
import type { StoredPassage } from '../../src/index/passage-table.ts'
import { withinLimits } from '../../src/index/passage-limits.ts'
import { isUnspaced } from '../../src/text/tokenize.ts'

/** BM25's usual constants: how fast repetition saturates, and how much a passage's length counts. */
const K1 = 1.2
const B = 0.75

/** Indexes in memory, for tests: plain loops over plain arrays, exact and slow. */
export function createMemoryIndexStore(): ChunkIndexStore {
  const indexes = new Map<string, { dimensions: number; passages: Map<string, IndexedPassage> }>()
  return {
    async open({ id, dimensions }) {
      const found = indexes.get(id) ?? { dimensions, passages: new Map<string, IndexedPassage>() }
      if (found.dimensions !== dimensions)
        throw new DocsearchError('index_corrupt', `The index has ${found.dimensions} dimensions.`)
      indexes.set(id, found)
      return createMemoryIndex(found.passages, dimensions)
    },
    list: async () => [...indexes.keys()],
    size: async (id) => JSON.stringify([...(indexes.get(id)?.passages.values() ?? [])]).length - '[]'.length,
    async drop(id) {
      indexes.delete(id)
    },
  }
}

function createMemoryIndex(passages: Map<string, IndexedPassage>, dimensions: number): ChunkIndex {
  const remove = (documentIds: readonly string[]) => {
    for (const { id, documentId } of passages.values()) if (documentIds.includes(documentId)) passages.delete(id)
  }
  const best = (filter: SearchFilter, limit: number, scoreOf: (passage: IndexedPassage) => number) =>
    [...passages.values()]
      .filter((passage) => passes(passage, filter))
      .map((passage) => toHit(passage, scoreOf(passage)))
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .slice(0, limit)

  return {
    async put(documents) {
      const added = documents.flatMap((document) => document.passages)
      if (added.some(({ vector }) => vector !== null && vector.length !== dimensions))
        throw new DocsearchError('index_failed', `A vector does not have ${dimensions} dimensions.`)
      remove(documents.filter((document) => !document.isNew).map((document) => document.documentId))
      for (const passage of added) passages.set(passage.id, passage)
    },
    async deleteDocuments(documentIds) {
      remove(documentIds)
    },
    async vectorSearch(vector, filter, limit) {
      const hits = best(filter, passages.size, (passage) => cosine(vector, passage.vector))
      return hits.filter(({ score }) => Number.isFinite(score)).slice(0, limit)
    },
    async keywordSearch(terms, filter, limit) {
      const hits = best(filter, passages.size, bm25(terms, [...passages.values()]))
      return hits.filter(({ score }) => score > 0).slice(0, limit)
    },
    async passages(rows) {
      const wanted = new Set(rows)
      const found = [...passages.values()].map((passage) => [rowOf(passage), withinLimits(toPassage(passage))] as const)
      return new Map(found.filter(([row]) => wanted.has(row)))
    },
    async inventory() {
      const byDocument = Map.groupBy(passages.values(), (passage) => passage.documentId)
      return new Map(
        [...byDocument].map(([id, found]) => [
          id,
          {
            version: Math.max(...found.map(({ version }) => version)),
            chunks: found.filter(({ charStart, charEnd }) => charEnd - charStart <= MAX_PASSAGE_CHARS).length,
          },
        ]),
      )
    },
    countPassages: async () => passages.size,
    optimize: async () => {},
    check: async () => ({
      ok: true,
      message: `${passages.size} passages`,
      passages: passages.size,
      isApproximate: false,
      isIncomplete: false,
    }),
    close: async () => {},
  }
}

/** Not a number when the passage has no vector or either vector has no direction. */
function cosine(a: Float32Array, b: Float32Array | null): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0)
  return b === null ? Number.NaN : dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

/** Returns the BM25 score of a passage among `all`, over every owner's passages. A term that is given twice counts twice. */
function bm25(terms: readonly string[], all: readonly IndexedPassage[]): (passage: IndexedPassage) => number {
  const wordsOf = new Map(all.map((passage) => [passage.id, passage.terms.split(' ')]))
  const averageLength = [...wordsOf.values()].reduce((sum, words) => sum + words.length, 0) / all.length
  const idf = new Map(
    terms.map((term) => {
      const count = [...wordsOf.values()].filter((words) => words.includes(term)).length
      return [term, Math.log(1 + (all.length - count + 0.5) / (count + 0.5))]
    }),
  )
  return ({ id }) => {
    const words = wordsOf.get(id)!
    const slow = K1 * (1 - B + (B * words.length) / averageLength)
    const scores = terms.map((term) => {
      const times = words.filter((word) => word === term).length
      return (idf.get(term)! * times * (K1 + 1)) / (times + slow)
    })
    return scores.reduce((sum, score) => sum + score, 0)
  }
}

export function passes(passage: StoredPassage, filter: SearchFilter): boolean {
  return passage.ownerId === filter.ownerId && conditionsOf(filter).every((condition) => meets(passage, condition))
}

function meets(passage: StoredPassage, { condition, fields, value }: Condition): boolean {
  const field = passage[fields[0]!]
  const text = String(field)
  const contains = (part: string) => foldName(text).includes(foldName(part))
  const says = (phrase: string) => fields.some((name) => hasPhrase(String(passage[name]), phrase))
  switch (condition) {
    case 'isOneOf':
      return value.includes(text)
    case 'hasAnyOf':
      return value.some((one) => (field as readonly string[]).includes(one))
    case 'startsWith':
      return fields[0] === 'name' ? foldName(text).startsWith(foldName(value)) : text.startsWith(value)
    case 'isAtOrAfter':
      return (field as Date) >= value
    case 'isBefore':
      return (field as Date) < value
    case 'containsAll':
      return value.every(contains)
    case 'containsNone':
      return !value.some(contains)
    case 'hasAllPhrases':
      return value.every(says)
    case 'hasNoPhrase':
      return !value.some(says)
  }
}

function foldMarks(text: string): string {
  return foldName(text)
    .replace(/['’‘ʼ]/g, "'")
    .replace(/[-‐‑]/g, '-')
    .replace(/["“”„]/g, '"')
    .replace(/\s+/g, ' ')
}

function hasPhrase(text: string, phrase: string): boolean {
  const [whole, part] = [foldMarks(text), foldMarks(phrase).trim()]
  const endsAWord = (inside: string | undefined, outside: string | undefined) =>
    !isWordCharacter(inside) || !isWordCharacter(outside) || isUnspaced(inside!)
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
    const end = at + part.length
    if (endsAWord(part[0], whole[at - 1]) && endsAWord(part.at(-1), whole[end])) return true
  }
  return false
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{M}\p{N}]/u.test(character)
}

const rowNumbers = new WeakMap<IndexedPassage, bigint>()
let lastRow = 0n

function rowOf(passage: IndexedPassage): bigint {
  const row = rowNumbers.get(passage) ?? ++lastRow
  rowNumbers.set(passage, row)
  return row
}

function toHit(passage: IndexedPassage, score: number): PassageHit {
  const { id, documentId, version, index, pageStart, pageEnd, textHash } = passage
  return { id, documentId, version, index, pageStart, pageEnd, textHash, row: rowOf(passage), score }
}

function toPassage(passage: IndexedPassage): Passage {
  const {
    ownerId: _owner,
    projectId: _project,
    mediaType: _type,
    name: _name,
    path: _path,
    tags: _tags,
    documentCreatedAt: _created,
    textHash: _hash,
    titleTerms: _titleTerms,
    headingTerms: _headingTerms,
    nameTerms: _nameTerms,
    vector: _vector,
    ...shown
  } = passage
  return shown
}
