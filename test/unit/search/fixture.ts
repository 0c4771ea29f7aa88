import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UnrelatedSimilarity } from '../../../src/core/noise.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import type { DocumentRecord, Project, User } from '../../../src/core/model.ts'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import type { IndexedPassage } from '../../../src/core/passage.ts'
import type { PassageIndex } from '../../../src/index/passage-index.ts'
import type { Records } from '../../../src/records/records.ts'
import { openRecordsIn } from '../../support/temp-records.ts'
import { createFusedReranker, type Reranker } from '../../../src/rerank/reranker.ts'
import { createSearch } from '../../../src/search/create.ts'
import type { SearchOutcome, SearchQuery } from '../../../src/search/search.ts'
import { SearchThreads } from '../../../src/search/threads/search-threads.ts'
import { analyse } from '../../../src/text/analyse.ts'
import { shownLanguage } from '../../../src/text/language.ts'
import { createWordList } from '../../../src/text/word-list.ts'
import { createMemoryIndexStore } from '../../support/memory-passage-index.ts'

/** The text between two passages. */
const GAP = '\n\n'

/** A search over real records, an index in memory and the built-in embedder. Tests add the passages. */
export interface Fixture {
  records: Records
  index: PassageIndex
  embedder: Embedder
  owner: User
  project: Project
  /** Adds a ready document with these passages, which a search finds at once. */
  add(name: string, passages: string[], change?: Change): Promise<DocumentRecord>
  makeOwner(name: string): Promise<{ owner: User; project: Project }>
  ask(query: string, change?: Ask, using?: Using): Promise<SearchOutcome>
  cleanUp(): Promise<void>
}

/** Changes to the default query, in which the first owner asks for ten passages. */
export type Ask = Partial<Omit<SearchQuery, 'filter'>> & { filter?: Partial<SearchQuery['filter']> }

interface Change {
  owner?: User
  project?: Project
  tags?: string[]
  /** True: the passages follow one another on one page. Otherwise each has a page of its own, and a missing passage lies between two. */
  following?: boolean
}

export interface Using {
  unrelatedSimilarity?: UnrelatedSimilarity
  embedder?: Embedder
  index?: PassageIndex
  reranker?: Reranker
  fusionWeight?: number | null
  /** True: no index is active. */
  nothing?: boolean
  signal?: AbortSignal
  deadlines?: { embedMs: number; rerankMs: number }
}

export async function makeFixture(): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-search-'))
  const records = await openRecordsIn({ file: join(folder, 'docsearch.db'), clock: systemClock, log: silentLogger })
  const embedder = createBuiltinEmbedder()
  const threads = new SearchThreads({ threads: 1, log: silentLogger })
  const index = await createMemoryIndexStore().open({ id: 'idx_1', dimensions: embedder.dimensions })

  async function makeOwner(name: string): Promise<{ owner: User; project: Project }> {
    const owner = await records.users.create({ name, email: null, role: 'member' })
    return { owner, project: await records.projects.create({ ownerId: owner.id, name: 'default', description: '' }) }
  }
  const first = await makeOwner('Ada')

  async function add(
    name: string,
    passages: string[],
    { owner = first.owner, project = first.project, tags = [], following = false }: Change = {},
  ): Promise<DocumentRecord> {
    const upload = { ...uploadOf(name, passages, tags), uploaderId: owner.id, projectId: project.id }
    const { document, outcome } = await records.documents.register(upload, 'replace')
    const indexed = await indexedPassages(document, passages, following, embedder)
    const words = createWordList()
    for (const text of passages) words.addPassage(analyse(text))
    await index.put([{ documentId: document.id, isNew: outcome === 'created', passages: indexed }])
    await records.queue.claim(1000)
    await records.queue.finish([
      {
        job: { documentId: document.id, version: document.version },
        chunkCount: indexed.length,
        chunksSkipped: 0,
        embeddingModel: 'builtin',
        warnings: [],
        words: JSON.stringify(words.words()),
      },
    ])
    return document
  }

  function ask(query: string, { filter, ...change }: Ask = {}, using: Using = {}): Promise<SearchOutcome> {
    const current = using.nothing
      ? null
      : {
          embedder: using.embedder ?? embedder,
          index: using.index ?? index,
          unrelatedSimilarity: using.unrelatedSimilarity ?? null,
        }
    const search = createSearch({
      records,
      lifecycle: { active: () => current, choice: () => ({ embedder: 'none', reason: 'Ollama has not answered yet.' }) },
      threads,
      reranker: using.reranker ?? createFusedReranker(),
      log: silentLogger,
      fusionWeight: using.fusionWeight ?? null,
      ...(using.deadlines && { deadlines: using.deadlines }),
    })
    const base = {
      query,
      limit: 10,
      offset: 0,
      mode: 'hybrid',
      rerank: true,
      correct: true,
      groupBy: 'chunk',
      sort: 'relevance',
      facets: null,
    } as const
    return search.search(
      { ...base, userId: first.owner.id, projectIds: [first.project.id], ...change, filter: { ...filter } },
      using.signal,
    )
  }

  return {
    records,
    index,
    embedder,
    ...first,
    makeOwner,
    add,
    ask,
    async cleanUp() {
      await threads.close()
      await index.close()
      await records.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function uploadOf(name: string, passages: readonly string[], tags: string[]) {
  const sha256 = createHash('sha256')
    .update(name + passages.join())
    .digest('hex')
  return { name, path: name, mediaType: 'text/plain', sizeBytes: 1, sha256, tags }
}

/** Returns passages of a document as ingestion would index them. */
async function indexedPassages(
  document: DocumentRecord,
  passages: readonly string[],
  following: boolean,
  embedder: Embedder,
): Promise<IndexedPassage[]> {
  const vectors = await embedder.embedDocuments(passages.map((text) => ({ text, title: null })))
  const starts = passages.map((_, n) => passages.slice(0, n).reduce((sum, text) => sum + text.length + GAP.length, 0))
  return passages.map((text, n) => ({
    id: `${document.id}:${document.version}:${following ? n : 2 * n}`,
    documentId: document.id,
    version: document.version,
    ownerId: document.ownerId,
    projectId: document.projectId,
    mediaType: document.mediaType,
    name: document.name,
    path: document.path,
    tags: document.tags,
    documentCreatedAt: document.createdAt,
    index: following ? n : 2 * n,
    pageStart: following ? 1 : n + 1,
    pageEnd: following ? 1 : n + 1,
    charStart: starts[n]!,
    charEnd: starts[n]! + text.length,
    heading: 'Part',
    title: document.name,
    text,
    gap: n === 0 ? '' : GAP,
    context: '',
    textHash: text,
    terms: analyse(text)
      .map((token) => token.term)
      .join(' '),
    titleTerms: 0,
    headingTerms: 0,
    language: shownLanguage(analyse(text)),
    nameTerms: '',
    vector: vectors[n]!,
  }))
}
