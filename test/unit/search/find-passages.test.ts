import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { IndexedPassage } from '../../../src/core/passage.ts'
import type { DocumentPassages } from '../../../src/index/passage-index.ts'
import { findPassages } from '../../../src/search/find-passages.ts'
import type { Found } from '../../../src/search/find-request.ts'
import { OpenIndex } from '../../../src/search/threads/open-index.ts'
import { queryWords } from '../../../src/text/analyse.ts'
import { MemorySegments } from '../../support/memory-segments.ts'
import { findRequest, type RequestChange } from '../../support/find-request.ts'
import { seeded } from '../../support/seeded.ts'

const DIMENSIONS = 4
const WORDS = ['harbour', 'quay', 'boat', 'crane', 'rope', 'net', 'fish', 'ice', 'tide', 'moon', 'salt', 'wind']

/** Documents of one owner in three projects. Many passages have equal texts, lengths and vectors, so that scores tie. */
/** The projects of one user. */
const ALL: readonly string[] = ['prj_usr_a_0', 'prj_usr_a_1', 'prj_usr_a_2']

function documentsOf(seed: number, ownerId: string, count: number): DocumentPassages[] {
  const random = seeded(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  return Array.from({ length: count }, (_, n) => {
    const projectId = `prj_${ownerId}_${n % 3}`
    // The order of IDs differs, because another instance assigns other IDs.
    const documentId = `doc_${ownerId === 'usr_a' ? 1 : 2}${String((n * 7919 + seed * 31) % 10_007).padStart(5, '0')}`
    const passages = Array.from({ length: 1 + below(5) }, (_, index): IndexedPassage => {
      const terms = Array.from({ length: 2 + below(4) }, () => WORDS[Math.min(below(WORDS.length), below(WORDS.length))]!).join(
        ' ',
      )
      const vector = new Float32Array([1 + below(3), below(3), below(2), 0])
      return {
        id: `${documentId}:1:${index}`,
        documentId,
        version: 1,
        projectId,
        mediaType: 'text/plain',
        name: `${n}.txt`,
        path: `${n}.txt`,
        tags: [],
        documentCreatedAt: new Date(Date.UTC(2020 + (n % 3), 0)),
        index,
        pageStart: index + 1,
        pageEnd: index + 1,
        charStart: 0,
        charEnd: 1,
        heading: '',
        title: '',
        text: '',
        gap: '',
        context: '',
        textHash: terms,
        terms,
        titleTerms: 1,
        headingTerms: 0,
        language: 0,
        nameTerms: '',
        vector: below(5) === 0 ? null : vector,
      }
    })
    return { documentId, isNew: true, passages }
  })
}

/** Commits documents one after the other, in the order and with the commits that `random` chooses. */
function commit(
  segments: MemorySegments,
  documents: readonly DocumentPassages[],
  random: () => number,
  rows: Map<string, bigint>,
) {
  const rest = documents.map((document) => ({ document, at: random() })).toSorted((a, b) => a.at - b.at)
  while (rest.length > 0) {
    const some = rest.splice(0, 1 + Math.floor(random() * 5)).map(({ document }) => document)
    for (const { id } of some.flatMap(({ passages }) => passages)) rows.set(id, BigInt(rows.size + 1))
    segments.commit(some, ({ id }) => rows.get(id)!, new Set())
  }
}

interface World {
  /** Decides the order and the sizes of the commits. */
  order: number
  /** Gives the documents other IDs. */
  rename?: (id: string) => string
  /** Number of documents of other owners, and of documents of the owner that are deleted again. */
  others?: number
}

function ask(documents: readonly DocumentPassages[], world: World, request: RequestChange) {
  return shown(find(documents, world, request), documents, world.rename)
}

function find(
  documents: readonly DocumentPassages[],
  { order, rename = (id) => id, others = 0 }: World,
  request: RequestChange,
): Found {
  const random = seeded(order)
  const segments = new MemorySegments(DIMENSIONS)
  const rows = new Map<string, bigint>()
  const renamed = documents.map(({ documentId, isNew, passages }) => ({
    documentId: rename(documentId),
    isNew,
    passages: passages.map((passage) => ({
      ...passage,
      documentId: rename(documentId),
      id: `${rename(documentId)}:1:${passage.index}`,
    })),
  }))
  const gone = documentsOf(order + 1, 'usr_a', others).map((document) => ({
    ...document,
    documentId: `gone_${document.documentId}`,
    passages: document.passages.map((passage) => ({
      ...passage,
      id: `gone_${passage.id}`,
      documentId: `gone_${passage.documentId}`,
    })),
  }))
  commit(segments, [...renamed, ...gone, ...documentsOf(order, 'usr_b', others)], random, rows)
  segments.commit([], () => 0n, new Set(gone.flatMap(({ passages }) => passages.map(({ id }) => rows.get(id)!))))
  const index = new OpenIndex()
  index.change(segments.all())
  const whole = findRequest({
    projectIds: ALL,
    terms: ['harbour', 'boat', 'tide'],
    words: queryWords('harbour boat tide'),
    vector: Float32Array.of(1, 1, 0, 0),
    vectorWeight: 0.4,
    noiseFloor: { mean: 0, deviation: 0.01, margin: 0.5, onlyWithoutWords: false },
    rerank: 'builtin',
    ...request,
  })
  return findPassages(index.projectsOf(whole.query.projectIds), whole)
}

/** The parts of an answer that users see, with names instead of IDs. */
function shown({ groups }: Found, documents: readonly DocumentPassages[], rename = (id: string) => id) {
  const names = new Map(documents.map(({ documentId, passages }) => [rename(documentId), passages[0]!.path]))
  const texts = new Map(documents.map(({ documentId, passages }) => [rename(documentId), passages[0]!.textHash]))
  return groups.map(({ best, score, rows, twins, matchingPassages }) => ({
    path: names.get(best.documentId),
    text: texts.get(best.documentId),
    page: best.pageStart,
    stages: best.stages,
    score,
    joined: rows.length,
    twins: twins.map(({ documentId, pageStart }) => [names.get(documentId), pageStart]),
    matchingPassages,
  }))
}

const seeds = fc.nat(2 ** 20)
const asked = fc.record({
  mode: fc.constantFrom('hybrid', 'keyword', 'vector'),
  groupBy: fc.constantFrom('chunk', 'document'),
  rerank: fc.constantFrom('builtin', 'none'),
  sort: fc.constantFrom('relevance', 'newest', 'name'),
  projectIds: fc.constantFrom(ALL, ['prj_usr_a_0', 'prj_usr_a_2']),
} as const)

test('the answer is exactly the same, whatever else is in the index and in whatever order it was added', () => {
  fc.assert(
    fc.property(seeds, seeds, fc.integer({ min: 1, max: 60 }), asked, (seed, order, count, request) => {
      const documents = documentsOf(seed, 'usr_a', count)
      const rename = (id: string) => `doc_${Number(id.slice(4)) ^ 0x1555}`
      const alone = ask(documents, { order: 1 }, request)
      expect(ask(documents, { order, rename, others: 30 }, request)).toEqual(alone)
      const counted = { ...request, facets: ['project', 'folder', 'media_type', 'tag', 'year'] } as const
      expect(find(documents, { order, rename, others: 30 }, counted).facets).toEqual(
        find(documents, { order: 1 }, counted).facets,
      )
    }),
    { numRuns: 60 },
  )
})

test('the first groups are the same for any number of wanted groups', () => {
  const documents = documentsOf(5, 'usr_a', 400)
  for (const [groupBy, sort] of [
    ['chunk', 'relevance'],
    ['document', 'relevance'],
    ['chunk', 'name'],
    ['document', 'newest'],
  ] as const) {
    const many = ask(documents, { order: 1 }, { wanted: 300, groupBy, sort })
    // A deeper search adds passages of documents that are results already to their number of matching passages, and nothing else.
    const lean = (groups: typeof many) => groups.map((group) => ({ ...group, matchingPassages: null }))
    expect(many.length).toBeGreaterThan(100)
    expect(lean(ask(documents, { order: 1 }, { wanted: 7, groupBy, sort }))).toEqual(lean(many.slice(0, 7)))
  }
})

test('never finds passages of other projects', () => {
  const documents = documentsOf(5, 'usr_a', 20)
  expect(ask(documents, { order: 1 }, { projectIds: ['prj_usr_b_0'] })).toEqual([])
})

test('passages with equal scores, paths and indexes in several projects have the same order, whatever the IDs of the projects', () => {
  const documents = documentsOf(9, 'usr_a', 30).map((document, n) => ({
    ...document,
    // The same words in another order: the scores are equal, and the texts are not.
    passages: [{ ...document.passages[0]!, path: `${n % 10}.txt`, terms: 'boat harbour', textHash: `text ${n}`, vector: null }],
  }))
  const swapped = documents.map(({ passages, ...document }) => ({
    ...document,
    passages: passages.map((passage) => ({
      ...passage,
      projectId: passage.projectId.replace(/\d/, (n) => String(2 - Number(n))),
    })),
  }))
  const texts = (some: typeof documents) =>
    ask(some, { order: 1 }, { vector: null, wanted: 30 }).map(({ path, text }) => [path, text])
  expect(texts(documents)).toHaveLength(30)
  expect(texts(swapped)).toEqual(texts(documents))
})

test('sorts and counts everything that a search finds, however deep it is and however few groups are wanted', () => {
  const documents = documentsOf(11, 'usr_a', 1000)
  const hasTerm = ({ terms }: IndexedPassage) => /harbour|boat|tide/.test(terms)
  const matching = documents.filter(({ passages }) => passages.some(hasTerm))
  expect(matching.flatMap(({ passages }) => passages.filter(hasTerm)).length).toBeGreaterThan(1500)
  const keyword = { mode: 'keyword', vector: null, groupBy: 'document', wanted: 5 } as const
  const counts = Map.groupBy(matching, ({ passages }) => passages[0]!.projectId)
  for (const sort of ['relevance', 'newest', 'name'] as const) {
    const found = find(documents, { order: 1 }, { ...keyword, sort, facets: ['project'] })
    expect(found.groups).toHaveLength(5)
    expect(new Map(found.facets!.project!.map(({ value, count }) => [value, count]))).toEqual(
      new Map([...counts].map(([id, { length }]) => [id, length])),
    )
    if (sort !== 'name') continue
    const names = matching.map(({ passages }) => Number.parseInt(passages[0]!.name, 10)).toSorted((a, b) => a - b)
    expect(shown(found, documents).map(({ path }) => path)).toEqual(names.slice(0, 5).map((n) => `${n}.txt`))
  }
})
