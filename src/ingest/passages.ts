import type { DocumentRecord, DocumentWarning } from '../core/model.ts'
import type { Page } from '../core/parsed.ts'
import { MAX_TITLE_CHARS, shorten } from '../core/text-limits.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { IndexedPassage } from '../core/passage.ts'
import { nameTerms, searchedText } from '../text/passage-terms.ts'
import type { Documents, Messages } from '../records/records.ts'
import type { Batcher } from './batcher.ts'
import type { PreparedPassage } from './prepare/prepare.ts'
import type { PrepareThreads } from './prepare/threads.ts'

/** What was read from a document. */
export interface DocumentText {
  title: string | null
  tags: readonly string[]
  pages: readonly Page[]
}

/** A document's passages, ready for an index. */
export interface PreparedDocument {
  /** In order. */
  passages: IndexedPassage[]
  /** `TermAndWord[]` as JSON. */
  words: string
  /** How many passages have no vector: they are found by keywords only, and a warning says so. */
  chunksSkipped: number
  warnings: DocumentWarning[]
}

export type PreparePassages = (
  document: DocumentRecord,
  text: DocumentText,
  embedder: Embedder,
  signal: AbortSignal,
  storedVectors?: StoredVectors,
) => Promise<PreparedDocument>

/** Returns vectors that were made before, in place of embedding the passages. Null if there are none. */
export type StoredVectors = (passages: readonly PreparedPassage[]) => Promise<(Float32Array | null)[] | null>

interface PassageRecords {
  messages: Pick<Messages, 'answeredBy' | 'setQuoted'>
  documents: Pick<Documents, 'pages'>
}

export interface PrepareParts {
  threads: PrepareThreads
  batcher: Batcher
  records: PassageRecords
  /** The name under which all documents take turns. Without it, each document takes its owner's turn. */
  inTurnAs?: string
}

/**
 * Returns a function that cuts a document's text into passages with vectors. It rejects when its signal aborts, and with the errors of `prepare`
 * and `embedDocuments`.
 */
export function createPreparePassages({ threads, batcher, records, inTurnAs }: PrepareParts): PreparePassages {
  return async (document, { title: ownTitle, tags, pages: allPages }, embedder, signal, storedVectors) => {
    const pages = await markRepetitions(records, document, allPages)
    const title = shorten(ownTitle ?? document.name, MAX_TITLE_CHARS)
    const { name, maxTokens, tokenCounter: counter, sharedModel } = embedder
    const model = storedVectors === undefined ? sharedModel : null
    const owner = inTurnAs ?? document.ownerId
    const prepared = await threads.prepare(owner, { title, pages, maxTokens, counter, model })
    signal.throwIfAborted()
    const inputs = () => prepared.passages.map((passage) => searchedText({ ...passage, title }))
    const stored = await storedVectors?.(prepared.passages)
    const vectors = stored ?? prepared.vectors ?? (await batcher.embed(embedder, inputs(), { owner, signal }))
    const ofName = nameTerms({ name: document.name, title })
    const passages = prepared.passages.map((passage, i) => ({
      ...passage,
      nameTerms: ofName,
      ...fieldsOf(document, passage.index),
      tags,
      title,
      vector: vectors[i] ?? null,
    }))
    const chunksSkipped = passages.filter(({ vector }) => vector === null).length
    const warnings = chunksSkipped === 0 ? [] : [notEmbedded(chunksSkipped, passages.length, name)]
    return { passages, words: prepared.words, chunksSkipped, warnings }
  }
}

/** Returns what each passage repeats of its document, so that filters run inside the index. */
function fieldsOf(document: DocumentRecord, index: number) {
  const { id, version, projectId, mediaType, name, path, createdAt } = document
  return {
    id: `${id}:${version}:${index}`,
    documentId: id,
    version,
    projectId,
    mediaType,
    name,
    path,
    documentCreatedAt: createdAt,
  }
}

/** `isEmbeddingWarning` in records/indexes.ts knows this code. */
function notEmbedded(skipped: number, all: number, model: string): DocumentWarning {
  return {
    code: 'chunk_not_embedded',
    message: `${model} could not embed ${skipped} of ${all} passages. Searches find these passages by their words only.`,
  }
}

/** A thread can name many messages. This limits how many other documents are read to compare their text. */
const MAX_SOURCES = 50

/**
 * Marks the quoted blocks that are in the index already. A quoted block is a repetition if a message that this one answers has the same block,
 * not quoted, and is in the same project. White space and punctuation don't count. Records which documents have the text, so that the quotes are
 * indexed when these documents go.
 */
async function markRepetitions(
  records: PassageRecords,
  document: DocumentRecord,
  pages: readonly Page[],
): Promise<readonly Page[]> {
  if (!pages.some(({ blocks }) => blocks.some(({ quoted }) => quoted === true))) return pages
  const { id, projectId } = document
  const answered = await records.messages.answeredBy(projectId, id)
  const own = new Map<string, ReadonlyMap<number, ReadonlySet<string>>>([[id, ownBlocks(pages)]])
  const used = new Set<string>()
  const marked: Page[] = []
  for (const page of pages) {
    const sources: { documentId: string; blocks: ReadonlySet<string> }[] = []
    for (const source of answered.get(page.number) ?? []) {
      if (!own.has(source.documentId) && own.size <= MAX_SOURCES) {
        const read = await records.documents.pages(new Set([projectId]), source.documentId)
        own.set(source.documentId, ownBlocks(read ?? []))
      }
      const blocks = own.get(source.documentId)?.get(source.page)
      if (blocks !== undefined) sources.push({ documentId: source.documentId, blocks })
    }
    marked.push(
      mark(page, (text) => {
        const source = sources.find(({ blocks }) => blocks.has(text))
        if (source !== undefined && source.documentId !== id) used.add(source.documentId)
        return source !== undefined
      }),
    )
  }
  await records.messages.setQuoted(id, [...used])
  return marked
}

function mark(page: Page, isRepeated: (text: string) => boolean): Page {
  const blocks = page.blocks.map((block) => {
    const text = block.quoted === true ? comparable(page.text.slice(block.start, block.end)) : ''
    return text !== '' && isRepeated(text) ? { ...block, repeated: true } : block
  })
  return { ...page, blocks }
}

/** Returns, by page, the blocks that are not quoted. */
function ownBlocks(pages: readonly Page[]): Map<number, ReadonlySet<string>> {
  return new Map(
    pages.map(({ number, text, blocks }) => [
      number,
      new Set(blocks.filter(({ quoted }) => quoted !== true).map(({ start, end }) => comparable(text.slice(start, end)))),
    ]),
  )
}

/** Returns the letters and digits of a text: mail programs wrap quoted lines differently, and change quotation marks. */
function comparable(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
