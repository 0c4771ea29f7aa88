import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { IndexedPassage, StoredPassage } from '../../src/core/passage.ts'
import type { PassageIndex, PassageIndexStore } from '../../src/index/passage-index.ts'
import { passageTerms, hashText } from '../../src/text/passage-terms.ts'
import { errorCode } from '../support/codes.ts'
import { type Filter, type FoundPassage, keywordSearch, vectorSearch } from '../support/search-index.ts'

export const DIMENSIONS = 8

/** Returns a passage with every field set. `n` decides its text, its terms and the direction of its vector. */
export function passage(documentId: string, n: number, change: Partial<IndexedPassage> = {}): IndexedPassage {
  const version = change.version ?? 1
  const text = change.text ?? `Passage ${n} of ${documentId}`
  return {
    id: `${documentId}:${version}:${n}`,
    documentId,
    version,
    projectId: 'prj_a',
    mediaType: 'text/plain',
    name: `${documentId}.txt`,
    path: `${documentId}.txt`,
    tags: [],
    documentCreatedAt: new Date('2026-03-01T12:00:00Z'),
    index: n,
    pageStart: n + 1,
    pageEnd: n + 2,
    charStart: n * 100,
    charEnd: n * 100 + 50,
    heading: 'Terms › Refunds',
    title: 'Handbook',
    text,
    gap: n === 0 ? '' : '\n\n',
    context: 'Year | Revenue',
    textHash: hashText(text),
    terms: `passage word${n}`,
    titleTerms: 0,
    headingTerms: 0,
    language: 0,
    nameTerms: 'name',
    vector: direction(n),
    ...change,
  }
}

/** Returns a unit vector at n times 10°, so that the order of the distances is known. */
export function direction(n: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS)
  vector[0] = Math.cos((n * Math.PI) / 18)
  vector[1] = Math.sin((n * Math.PI) / 18)
  return vector
}

const ALL: Filter = { projectIds: ['prj_a', 'prj_b', 'prj_c', 'prj_big'] }
const ids = (hits: readonly { id: string }[]) => hits.map((hit) => hit.id)

const at = (iso: string) => new Date(iso)

/** Returns the passage with the terms of its texts, and with the term `passage`. */
export function analysed(passage: IndexedPassage): IndexedPassage {
  const { tokens: _, terms, ...counts } = passageTerms(passage)
  return { ...passage, ...counts, terms: `${terms} passage` }
}

/** One passage for each document. The last one belongs to another owner. */
export const FILTERED_PASSAGES = [
  passage('doc_1', 0, {
    projectId: 'prj_a',
    tags: ['red', "o'clock"],
    path: 'a%b/one.txt',
    documentCreatedAt: at('2026-01-01T00:00:00Z'),
  }),
  passage('doc_2', 0, {
    projectId: 'prj_b',
    tags: ['blue'],
    path: 'a_b/two.pdf',
    mediaType: 'application/pdf',
    text: 'Passage 0 of a page: don’t smoke',
    documentCreatedAt: at('2026-02-01T00:00:00Z'),
  }),
  passage('doc_3', 0, {
    projectId: 'prj_c',
    tags: [],
    path: "aXb/it's.txt",
    documentCreatedAt: at('1969-02-01T00:00:00Z'),
  }),
  passage('doc_4', 0, {
    projectId: 'prj_a',
    tags: ['red', 'blue'],
    path: 'a\\b/four.txt',
    documentCreatedAt: at('9999-12-31T23:59:59Z'),
  }),
  passage('doc_5', 0, { projectId: 'prj_d', tags: ['red'], path: 'a%b/one.txt' }),
].map(analysed)

/** The documents of FILTERED_PASSAGES that each filter finds. */
export const FILTER_CASES: [name: string, filter: Filter, expected: string[]][] = [
  ['none', {}, ['doc_1', 'doc_2', 'doc_3', 'doc_4']],
  ['one project', { projectIds: ['prj_a'] }, ['doc_1', 'doc_4']],
  ['several projects', { projectIds: ['prj_b', 'prj_c'] }, ['doc_2', 'doc_3']],
  ['no project at all', { projectIds: [] }, []],
  ['no document at all', { documentIds: [] }, []],
  ['documents', { documentIds: ['doc_1', 'doc_3', 'doc_5'] }, ['doc_1', 'doc_3']],
  ['media types', { mediaTypes: ['application/pdf'] }, ['doc_2']],
  ['one tag', { tags: ['red'] }, ['doc_1', 'doc_4']],
  ['any of two tags', { tags: ['red', 'blue'] }, ['doc_1', 'doc_2', 'doc_4']],
  ['a tag with a quote', { tags: ["o'clock"] }, ['doc_1']],
  ['no tag at all', { tags: [] }, []],
  ['a prefix with a percent sign', { pathPrefix: 'a%' }, ['doc_1']],
  ['a prefix with an underscore', { pathPrefix: 'a_b' }, ['doc_2']],
  ['a prefix with a quote', { pathPrefix: "aXb/it'" }, ['doc_3']],
  ['a prefix with a backslash', { pathPrefix: 'a\\b' }, ['doc_4']],
  ['an attempt to break out', { pathPrefix: "' OR project_id = 'prj_d" }, []],
  ['from a moment on', { createdAfter: at('2026-02-01T00:00:00Z') }, ['doc_2', 'doc_4']],
  ['before a moment', { createdBefore: at('2026-02-01T00:00:00Z') }, ['doc_1', 'doc_3']],
  ['between', { createdAfter: at('1900-01-01T00:00:00Z'), createdBefore: at('1970-01-01T00:00:00Z') }, ['doc_3']],
  ['a part of the name, in any case', { nameParts: ['OC_1'] }, ['doc_1']],
  ['every part of the name', { nameParts: ['doc', '3.t'] }, ['doc_3']],
  ['not a part of the name', { withoutNameParts: ['_1', 'c_4'] }, ['doc_2', 'doc_3']],
  ['a phrase of the text', { phrases: ['PASSAGE  0 of'] }, ['doc_1', 'doc_2', 'doc_3', 'doc_4']],
  ['a phrase of the title and one of a heading', { phrases: ['handbook', 'refunds'] }, ['doc_1', 'doc_2', 'doc_3', 'doc_4']],
  ['a phrase of whole words only', { phrases: ['assage 0'] }, []],
  ['a phrase with a typographic apostrophe', { phrases: ["don't"] }, ['doc_2']],
  [
    'no phrase at all',
    { phrases: [], withoutPhrases: [], nameParts: [], withoutNameParts: [] },
    ['doc_1', 'doc_2', 'doc_3', 'doc_4'],
  ],
  ['without a phrase', { withoutPhrases: ['don’t', 'nowhere'] }, ['doc_1', 'doc_3', 'doc_4']],
  ['several at once', { projectIds: ['prj_a'], tags: ['blue'], mediaTypes: ['text/plain'] }, ['doc_4']],
]

/** The promises of every PassageIndex and its store (src/index/passage-index.ts). */
export function passageIndexConformance(
  name: string,
  make: () => Promise<{ store: PassageIndexStore; cleanUp: () => Promise<void> }>,
) {
  describe(name, () => {
    let store: PassageIndexStore
    let cleanUp: () => Promise<void>
    let index: PassageIndex
    beforeEach(async () => {
      ;({ store, cleanUp } = await make())
      index = await store.open({ id: 'idx_1', dimensions: DIMENSIONS })
    })
    afterEach(async () => {
      await index.close()
      await cleanUp()
    })
    const add = (...passages: IndexedPassage[]) => index.put([{ documentId: passages[0]!.documentId, isNew: true, passages }])
    const words = (terms: string[], filter: Filter = ALL, limit = 100) => keywordSearch(index, terms, filter, limit)
    const near = (n: number, filter: Filter = ALL, limit = 100) => vectorSearch(index, direction(n), filter, limit)
    /** Returns every passage of the first user, by its ID. */
    const read = async () => {
      const rows = (await near(0)).map((hit) => hit.row)
      return new Map(Array.from((await index.passages(rows)).values(), (found) => [found.id, found]))
    }

    test('an empty index finds nothing and is healthy', async () => {
      expect(await words(['word1'])).toEqual([])
      expect(await near(0)).toEqual([])
      expect(await index.inventory()).toEqual(new Map())
      expect(await index.countPassages()).toBe(0)
      await index.optimize()
      expect(await index.check()).toMatchObject({ ok: true, passages: 0 })
    })

    test('finds passages at once, after optimizing, and after opening again', async () => {
      await add(passage('doc_1', 0), passage('doc_1', 1), passage('doc_1', 2))
      const found = async () => {
        expect(ids(await words(['word1']))).toEqual(['doc_1:1:1'])
        expect(ids(await near(2))).toEqual(['doc_1:1:2', 'doc_1:1:1', 'doc_1:1:0'])
      }
      await found()
      await index.optimize()
      await found()
      await index.close()
      index = await store.open({ id: 'idx_1', dimensions: DIMENSIONS })
      await found()
    })

    test('returns the vectors of one document, of the version that searches find', async () => {
      await add(passage('doc_1', 0), passage('doc_1', 1, { vector: null }))
      await add(passage('doc_2', 0))
      expect(await index.vectors('doc_none')).toEqual(new Map())
      const expected = (version: number, ...passages: number[]) =>
        new Map(
          passages.map((n) => [
            n,
            { version, textHash: hashText(`Passage ${n} of doc_1`), vector: n === 1 ? null : expect.anything() },
          ]),
        )
      expect(await index.vectors('doc_1')).toEqual(expected(1, 0, 1))
      const moved = passage('doc_1', 0, { version: 2, projectId: 'prj_b' })
      await index.put([{ documentId: 'doc_1', isNew: false, passages: [moved] }])
      await index.optimize()
      expect(await index.vectors('doc_1')).toEqual(expected(2, 0))
      const [vector] = [...(await index.vectors('doc_1')).values()].map(({ vector: stored }) => stored)
      for (const [i, value] of direction(0).entries()) expect(vector?.[i]).toBeCloseTo(value, 2)
    })

    test('yields every passage with its vector', async () => {
      await add(passage('doc_1', 0), passage('doc_1', 1, { vector: null }))
      await add(passage('doc_2', 0))
      await index.deleteDocuments(['doc_2'])
      const stored: StoredPassage[] = []
      for await (const batch of index.stored()) stored.push(...batch)
      stored.sort((a, b) => a.index - b.index)
      expect(stored.map(({ id, text, vector }) => [id, text, vector === null])).toEqual([
        ['doc_1:1:0', 'Passage 0 of doc_1', false],
        ['doc_1:1:1', 'Passage 1 of doc_1', true],
      ])
    })

    test('vector scores are cosines, keyword scores fall, and limits hold', async () => {
      await add(...Array.from({ length: 10 }, (_, n) => passage('doc_1', n, { terms: `rare${n > 2 ? '' : ' rare'} common` })))
      const hits = await near(0, ALL, 3)
      expect(hits.map((hit) => hit.score)).toEqual([0, 1, 2].map((n) => expect.closeTo(Math.cos((n * Math.PI) / 18), 2)))
      const scores = (await words(['rare', 'common'], ALL, 5)).map((hit) => hit.score)
      expect(scores).toHaveLength(5)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      expect(scores.at(-1)).toBeGreaterThan(0)
    })

    test('any term may match, a repeated term counts twice, and no term finds nothing', async () => {
      await add(passage('doc_1', 1), passage('doc_1', 2), passage('doc_1', 3))
      expect(ids(await words(['word1', 'word3', 'nowhere'])).toSorted()).toEqual(['doc_1:1:1', 'doc_1:1:3'])
      const [once, twice] = [await words(['word1']), await words(['word1', 'word1'])]
      expect(ids(twice)).toEqual(ids(once))
      expect(twice[0]!.score).toBeCloseTo(2 * once[0]!.score)
      expect(await words([])).toEqual([])
    })

    test('takes terms literally: no case folding, no stemming, no query syntax', async () => {
      await add(passage('doc_1', 0, { terms: 'Running über "quoted" a+b 検索 naïve the' }))
      for (const term of ['Running', 'über', '"quoted"', 'a+b', '検索', 'naïve', 'the'])
        expect(await words([term]), term).toHaveLength(1)
      for (const term of ['running', 'run', 'uber', 'quoted', 'naive', '検']) expect(await words([term]), term).toHaveLength(0)
    })

    test('finds a passage without a vector by keywords only', async () => {
      await add(passage('doc_1', 0, { vector: null }), passage('doc_1', 1))
      await add(passage('doc_2', 0, { vector: null }))
      for (const step of ['fresh', 'optimized']) {
        expect(ids(await near(0)), step).toEqual(['doc_1:1:1'])
        expect(ids(await words(['word0'])).toSorted(), step).toEqual(['doc_1:1:0', 'doc_2:1:0'])
        await index.optimize()
      }
    })

    test('returns passages exactly, whatever characters they have', async () => {
      const odd = `it's "quoted" \\ back%slash_ \u0000 \t\n\f naïve 検索 👩‍👩‍👧 ‏עברית {}[]$; -- DROP`
      await add(
        passage('doc_1', 7, {
          text: odd,
          gap: odd,
          context: odd,
          heading: odd,
          title: odd,
          path: odd,
          tags: [odd],
          terms: 'odd',
        }),
      )
      expect([...(await read())]).toEqual([
        [
          'doc_1:1:7',
          {
            id: 'doc_1:1:7',
            documentId: 'doc_1',
            version: 1,
            index: 7,
            pageStart: 8,
            pageEnd: 9,
            charStart: 700,
            charEnd: 750,
            heading: odd,
            title: odd,
            text: odd,
            gap: odd,
            context: odd,
          },
        ],
      ])
      expect(ids(await words(['odd'], { ...ALL, pathPrefix: odd, tags: [odd] }))).toEqual(['doc_1:1:7'])
    })

    test('a passage that no longer exists is not read', async () => {
      await add(passage('doc_1', 0))
      const [{ row }] = (await near(0)) as [FoundPassage]
      await index.put([{ documentId: 'doc_1', isNew: false, passages: [passage('doc_1', 0, { version: 2 })] }])
      expect([...(await read()).keys()]).toEqual(['doc_1:2:0'])
      expect((await near(0)).map((hit) => hit.row)).not.toContain(row)
    })

    test('a replaced document has only its new passages, and other documents stay', async () => {
      await index.put([
        { documentId: 'doc_1', isNew: true, passages: [passage('doc_1', 0), passage('doc_1', 1), passage('doc_1', 2)] },
        { documentId: 'doc_2', isNew: true, passages: [passage('doc_2', 0)] },
      ])
      await index.put([
        { documentId: 'doc_1', isNew: false, passages: [passage('doc_1', 0, { version: 2, terms: 'second' })] },
        { documentId: 'doc_3', isNew: true, passages: [passage('doc_3', 0)] },
      ])
      expect(await index.inventory()).toEqual(
        new Map([
          ['doc_1', { version: 2, chunks: 1 }],
          ['doc_2', { version: 1, chunks: 1 }],
          ['doc_3', { version: 1, chunks: 1 }],
        ]),
      )
      expect(ids(await words(['second', 'word1', 'word2']))).toEqual(['doc_1:2:0'])
      expect(ids(await near(0)).toSorted()).toEqual(['doc_1:2:0', 'doc_2:1:0', 'doc_3:1:0'])
    })

    test('putting the same version again changes nothing, and a document may have no passages', async () => {
      const passages = [passage('doc_1', 0), passage('doc_1', 1)]
      await index.put([{ documentId: 'doc_1', isNew: true, passages }])
      await index.put([{ documentId: 'doc_1', isNew: false, passages }])
      expect(await index.countPassages()).toBe(2)
      await index.put([
        { documentId: 'doc_1', isNew: false, passages: [] },
        { documentId: 'doc_2', isNew: true, passages: [passage('doc_2', 0)] },
      ])
      expect([...(await index.inventory()).keys()]).toEqual(['doc_2'])
      await index.put([{ documentId: 'doc_2', isNew: false, passages: [] }])
      expect(await index.countPassages()).toBe(0)
      await index.put([{ documentId: 'doc_4', isNew: true, passages: [] }])
      await index.put([])
    })

    test('no search finds a deleted document', async () => {
      await add(passage('doc_1', 0), passage('doc_1', 1))
      await add(passage("doc_2'; --", 0))
      await index.optimize()
      await index.deleteDocuments(["doc_2'; --", 'doc_unknown'])
      await index.deleteDocuments([])
      expect(ids(await words(['word0']))).toEqual(['doc_1:1:0'])
      expect(ids(await near(0))).toEqual(['doc_1:1:0', 'doc_1:1:1'])
      expect([...(await index.inventory()).keys()]).toEqual(['doc_1'])
    })

    test('concurrent writes all take effect', async () => {
      await Promise.all([
        ...Array.from({ length: 8 }, (_, n) => add(passage(`doc_${n}`, 0))),
        index.optimize(),
        index.put([
          {
            documentId: 'doc_0',
            isNew: false,
            passages: [passage('doc_0', 0, { version: 2 }), passage('doc_0', 1, { version: 2 })],
          },
        ]),
        index.deleteDocuments(['doc_7']),
      ])
      const inventory = await index.inventory()
      expect([...inventory.keys()].toSorted()).toEqual(['doc_0', 'doc_1', 'doc_2', 'doc_3', 'doc_4', 'doc_5', 'doc_6'])
      expect(inventory.get('doc_0')).toEqual({ version: 2, chunks: 2 })
    })

    test('takes many documents in one commit and answers searches while it optimizes', async () => {
      const documents = Array.from({ length: 200 }, (_, d) => ({
        documentId: `doc_${d}`,
        isNew: true,
        passages: Array.from({ length: 5 }, (_, n) => passage(`doc_${d}`, n, { terms: `all only${d} word${n}` })),
      }))
      await index.put(documents)
      const before = ids(await words(['only42']))
      const [, ...during] = await Promise.all([index.optimize(), words(['only42']), near(3, ALL, 10), words(['only42'])])
      expect(ids(during[0]).toSorted()).toEqual(before.toSorted())
      expect(during[1]).toHaveLength(10)
      expect(await words(['all'], ALL, 1000)).toHaveLength(1000)
      expect(await index.countPassages()).toBe(1000)
      expect((await index.inventory()).get('doc_199')).toEqual({ version: 1, chunks: 5 })
    })

    test('refuses a vector of the wrong length, with its whole commit', async () => {
      await expect(add(passage('doc_1', 0), passage('doc_1', 1, { vector: new Float32Array(3) }))).rejects.toMatchObject({
        code: errorCode('index_failed'),
      })
      expect(await index.countPassages()).toBe(0)
      await add(passage('doc_1', 0))
      expect(await index.countPassages()).toBe(1)
    })

    test('keeps indexes apart, lists them and drops them', async () => {
      await add(passage('doc_1', 0))
      const other = await store.open({ id: 'idx_2', dimensions: 4 })
      expect(await other.countPassages()).toBe(0)
      await other.close()
      expect((await store.list()).toSorted()).toEqual(['idx_1', 'idx_2'])
      expect(await store.size('idx_1')).toBeGreaterThan(0)
      expect(await store.size('idx_unknown')).toBe(0)
      await store.drop('idx_2')
      await store.drop('idx_unknown')
      expect(await store.list()).toEqual(['idx_1'])
      expect(await index.countPassages()).toBe(1)
    })

    test('reports an index that is opened with other dimensions as corrupt', async () => {
      await expect(store.open({ id: 'idx_1', dimensions: DIMENSIONS + 1 })).rejects.toMatchObject({
        code: errorCode('index_corrupt'),
      })
    })

    describe('filters', () => {
      beforeEach(async () => {
        for (const filtered of FILTERED_PASSAGES) await add(filtered)
      })

      test.each(['fresh', 'optimized'])('hold for keywords and vectors, %s', async (step) => {
        if (step === 'optimized') await index.optimize()
        for (const [name, filter, expected] of FILTER_CASES) {
          const found = (hits: readonly { documentId: string }[]) => hits.map((hit) => hit.documentId).toSorted()
          expect(found(await words(['passage'], { ...ALL, ...filter })), `${name}, words`).toEqual(expected)
          expect(found(await near(0, { ...ALL, ...filter })), `${name}, vectors`).toEqual(expected)
        }
      })

      test('never find passages of another project, even by id', async () => {
        const b: Filter = { projectIds: ['prj_d'] }
        expect(ids(await words(['passage'], b))).toEqual(['doc_5:1:0'])
        expect(ids(await near(0, b))).toEqual(['doc_5:1:0'])
        expect(await words(['passage'], { ...b, documentIds: ['doc_1'] })).toEqual([])
        expect(await words(['passage'], { projectIds: ["prj_d' OR '1' = '1"] })).toEqual([])
      })

      test('apply before the limit, not after it', async () => {
        await add(
          ...Array.from({ length: 50 }, (_, n) =>
            passage('doc_9', n % 2, { id: `doc_9:1:${n}`, projectId: 'prj_big', terms: 'passage passage' }),
          ),
        )
        expect(ids(await words(['passage'], { ...ALL, projectIds: ['prj_b'] }, 1))).toEqual(['doc_2:1:0'])
        expect(ids(await near(1, { ...ALL, projectIds: ['prj_b'] }, 1))).toEqual(['doc_2:1:0'])
      })
    })
  })
}
