import { DocsearchError } from '../../src/core/errors.ts'
import { foldName } from '../../src/core/fold-name.ts'
import type { IndexedPassage, Passage, StoredPassage } from '../../src/core/passage.ts'
import type { PassageIndex, PassageIndexStore } from '../../src/index/passage-index.ts'
import type { PhraseFilter } from '../../src/text/phrase.ts'
import { isUnspaced } from '../../src/text/tokenize.ts'
import { MemorySegments } from './memory-segments.ts'

/** Indexes in memory, for tests: real segments, and texts in a map. */
export function createMemoryIndexStore(): PassageIndexStore {
  const indexes = new Map<string, Stored>()
  return {
    async open({ id, dimensions }) {
      const found = indexes.get(id) ?? {
        dimensions,
        passages: new Map<string, IndexedPassage>(),
        rows: new Map(),
        segments: new MemorySegments(dimensions),
      }
      if (found.dimensions !== dimensions)
        throw new DocsearchError('index_corrupt', `The index has ${found.dimensions} dimensions.`)
      indexes.set(id, found)
      return createMemoryIndex(found)
    },
    list: async () => [...indexes.keys()],
    size: async (id) => JSON.stringify([...(indexes.get(id)?.passages.values() ?? [])]).length - '[]'.length,
    async drop(id) {
      indexes.delete(id)
    },
  }
}

interface Stored {
  dimensions: number
  passages: Map<string, IndexedPassage>
  /** By passage id. A new version of a passage gets a new row. */
  rows: Map<string, bigint>
  segments: MemorySegments
}

let lastRow = 0n

function createMemoryIndex({ passages, rows, segments, dimensions }: Stored): PassageIndex {
  const remove = (documentIds: readonly string[]): Set<bigint> => {
    const gone = new Set<bigint>()
    for (const { id, documentId } of passages.values()) {
      if (!documentIds.includes(documentId)) continue
      gone.add(rows.get(id)!)
      passages.delete(id)
      rows.delete(id)
    }
    return gone
  }
  return {
    async put(documents) {
      const added = documents.flatMap((document) => document.passages)
      if (added.some(({ vector }) => vector !== null && vector.length !== dimensions))
        throw new DocsearchError('index_failed', `A vector does not have ${dimensions} dimensions.`)
      const removed = remove(documents.filter((document) => !document.isNew).map((document) => document.documentId))
      for (const passage of added) {
        passages.set(passage.id, passage)
        rows.set(passage.id, ++lastRow)
      }
      segments.commit(documents, ({ id }) => rows.get(id)!, removed)
    },
    async deleteDocuments(documentIds) {
      segments.commit([], () => 0n, remove(documentIds))
    },
    catchUp: async () => true,
    segments: () => segments.all(),
    damagedFiles: async () => [],
    onDamage: () => () => {},
    hasDamagedTexts: () => false,
    onSegmentsChange: (listener) => segments.onChange(listener),
    // Nothing here is on a disk.
    leaveOut: async () => {},
    async vectors(documentId) {
      const own = [...passages.values()].filter((passage) => passage.documentId === documentId)
      return new Map(own.map(({ index, version, textHash, vector }) => [index, { version, textHash, vector }]))
    },
    async *stored() {
      yield [...passages.values()].map(
        ({ terms: _terms, titleTerms: _title, headingTerms: _heading, nameTerms: _name, language: _language, ...rest }) => rest,
      )
    },
    async passages(wanted) {
      const found = [...passages.values()].filter(({ id }) => wanted.includes(rows.get(id)!))
      return new Map(found.map((passage) => [rows.get(passage.id)!, textsOf(passage)]))
    },
    async rowsWithPhrases(wanted, phrases) {
      const having = [...passages.values()].filter((passage) => passes(passage, phrases)).map(({ id }) => rows.get(id)!)
      return having.filter((row) => wanted.includes(row))
    },
    async inventory() {
      const byDocument = Map.groupBy(passages.values(), (passage) => passage.documentId)
      return new Map(
        [...byDocument].map(([id, found]) => [
          id,
          { version: Math.max(...found.map(({ version }) => version)), chunks: found.length },
        ]),
      )
    },
    numbers: () => ({ passages: passages.size, unindexed: 0, segments: segments.all().length, memoryBytes: 0 }),
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

/** True for a passage that has the phrases, and none of the excluded ones. */
export function passes({ text, title, heading }: StoredPassage, { phrases = [], withoutPhrases = [] }: PhraseFilter): boolean {
  const has = (phrase: string) => [text, title, heading].some((field) => hasPhrase(field, phrase))
  return phrases.every(has) && !withoutPhrases.some(has)
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

/** Returns only what a result shows and a reranker reads. */
export function textsOf(passage: Passage): Passage {
  const { id, documentId, version, index, pageStart, pageEnd, charStart, charEnd, heading, title, text, gap, context } = passage
  return { id, documentId, version, index, pageStart, pageEnd, charStart, charEnd, heading, title, text, gap, context }
}
