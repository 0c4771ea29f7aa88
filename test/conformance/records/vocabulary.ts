import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { MAX_WORDS_READ } from '../../../src/records/vocabulary.ts'
import { errorCode } from '../../support/codes.ts'
import { HEALTH } from './fixtures.ts'
import type { EmptyRecordsTest } from './fixtures.ts'
import { visibleTo } from '../../support/visible.ts'

type Word = [word: string, term: string]

const RENT: Word[] = [
  ['rent', 'rent'],
  ['rents', 'rent'],
  ['miete', 'miet'],
]

function toJson(words: readonly Word[]): string {
  return JSON.stringify(words.map(([word, term]) => `${term} ${word}`))
}

/** Tests get two users with a project each, and words for their documents. */
function vocabularyTest(base: EmptyRecordsTest) {
  let uploads = 0
  return base
    .extend('alice', async ({ records }) => (await records.users.create({ name: 'Alice', email: null, role: 'owner' })).id)
    .extend('bob', async ({ records }) => (await records.users.create({ name: 'Bob', email: null, role: 'member' })).id)
    .extend('projects', async ({ records, alice, bob }) => {
      const projects = new Map<string, string>()
      for (const ownerId of [alice, bob])
        projects.set(ownerId, (await records.projects.create({ ownerId, name: 'default', description: '' })).id)
      return projects
    })
    .extend('upload', ({ records, projects }) => async (ownerId: string, path: string) => {
      const sha256 = String(++uploads).padStart(64, '0')
      const place = {
        uploaderId: ownerId,
        projectId: projects.get(ownerId)!,
        name: path,
        path,
        mediaType: 'text/plain',
        sizeBytes: 1,
      }
      return (await records.documents.register({ ...place, sha256, tags: null }, 'replace')).document
    })
    .extend('finish', ({ records }) => async (words: readonly Word[] | undefined, chunkCount: number) => {
      const jobs = await records.queue.claim(100)
      const result = { chunkCount, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }
      await records.queue.finish(
        jobs.map((job) => ({ job, ...result, ...(words === undefined ? {} : { words: toJson(words) }) })),
      )
    })
    .extend('ready', ({ upload, finish }) => {
      return async (ownerId: string, path: string, words: readonly Word[] | undefined, passages = 10) => {
        const { id } = await upload(ownerId, path)
        await finish(words, passages)
        return id
      }
    })
    .extend('counts', ({ records }) => async (ownerId: string, ...words: string[]) => {
      const entries = await records.vocabulary.entries(await visibleTo(records, ownerId), words)
      return Object.fromEntries(entries.map(({ word, documents }) => [word, documents]))
    })
}

export function vocabularyConformance(base: EmptyRecordsTest): void {
  const test = vocabularyTest(base)
  describe('the vocabulary', () => {
    test('starts empty, and counts the documents with each word', async ({ records, alice, ready }) => {
      expect(await records.vocabulary.entries(await visibleTo(records, alice), ['rent'])).toEqual([])
      await ready(alice, 'a', RENT)
      await ready(alice, 'b', [['rent', 'rent']], 5)
      expect(await records.vocabulary.entries(await visibleTo(records, alice), ['rent', 'miete', 'pump'])).toEqual(
        expect.arrayContaining([
          { word: 'rent', term: 'rent', documents: 2 },
          { word: 'miete', term: 'miet', documents: 1 },
        ]),
      )
    })

    test('returns words by first letter, in order', async ({ records, alice, ready }) => {
      await ready(alice, 'a', [
        ['rent', 'rent'],
        ['rents', 'rent'],
        ['rented', 'rent'],
        ['tent', 'tent'],
        ['rate', 'rate'],
        ['rate', 'rat'],
        ['übergabe', 'ubergab'],
      ])
      const visible = await visibleTo(records, alice)
      const from = (initial: string) => records.vocabulary.wordsFrom(visible, initial, '')
      expect(await from('r')).toEqual({ words: ['rate', 'rent', 'rented', 'rents'], next: null })
      expect(await from('ü')).toEqual({ words: ['übergabe'], next: null })
      expect(await from('x')).toEqual({ words: [], next: null })
    })

    test('reads a limited number of rows at a time', async ({ records, alice, ready }) => {
      const word = (i: number) => `r${i.toString().padStart(5, '0')}`
      const words = Array.from({ length: MAX_WORDS_READ + 2 }, (_, i) => word(i))
      await ready(
        alice,
        'a',
        words.map((text) => [text, 'r']),
      )
      const first = await records.vocabulary.wordsFrom(await visibleTo(records, alice), 'r', '')
      expect(first).toEqual({ words: words.slice(0, MAX_WORDS_READ), next: expect.any(String) })
      expect(await records.vocabulary.wordsFrom(await visibleTo(records, alice), 'r', first.next!)).toEqual({
        words: words.slice(MAX_WORDS_READ),
        next: null,
      })
    })

    test('has the words of all projects that are asked for, and of no other', async ({
      records,
      alice,
      bob,
      ready,
      projects,
    }) => {
      const carol = (await records.users.create({ name: 'Carol', email: null, role: 'member' })).id
      projects.set(carol, (await records.projects.create({ ownerId: carol, name: 'default', description: '' })).id)
      await ready(alice, 'a', RENT)
      await ready(bob, 'b', [
        ['rent', 'rent'],
        ['rust', 'rust'],
      ])
      await ready(carol, 'c', [['roof', 'roof']])
      const both = new Set([projects.get(alice)!, projects.get(bob)!])
      expect(await records.vocabulary.entries(both, ['rent', 'rust', 'roof'])).toEqual(
        expect.arrayContaining([
          { word: 'rent', term: 'rent', documents: 2 },
          { word: 'rust', term: 'rust', documents: 1 },
        ]),
      )
      const { words, next } = await records.vocabulary.wordsFrom(both, 'r', '')
      expect([new Set(words), next]).toEqual([new Set(['rent', 'rents', 'rust']), null])
      expect(await records.vocabulary.wordsFrom(new Set(), 'r', '')).toEqual({ words: [], next: null })
    })

    test('belongs to one project', async ({ records, alice, bob, ready, counts }) => {
      await ready(alice, 'a', RENT)
      await ready(bob, 'b', [['pump', 'pump']], 1)
      expect(await counts(bob, 'rent', 'pump')).toEqual({ pump: 1 })
      expect(await records.vocabulary.wordsFrom(await visibleTo(records, bob), 'r', '')).toEqual({ words: [], next: null })
      expect(await records.vocabulary.entries(await visibleTo(records, bob), ['rent'])).toEqual([])
      await records.users.delete(bob)
      expect(await counts(alice, 'rent', 'rents', 'pump')).toEqual({ rent: 1, rents: 1 })
    })

    test('keeps the words of a version until the next one is ready, and drops them when that fails', async ({
      records,
      alice,
      upload,
      ready,
      counts,
    }) => {
      await ready(alice, 'a', RENT)
      await upload(alice, 'a')
      expect(await counts(alice, 'rent')).toEqual({ rent: 1 })
      const [job] = await records.queue.claim(1)
      await records.queue.savePages(job!, { pages: [], title: null, pageCount: 0, warnings: [], health: HEALTH, facts: {} })
      await records.queue.fail(job!, { code: errorCode('corrupt'), message: 'x' })
      expect(await counts(alice, 'rent', 'miete')).toEqual({})
    })

    test('stays the same while the index is rebuilt', async ({ records, alice, finish, ready, counts }) => {
      await ready(alice, 'a', RENT)
      await records.queue.requeueAll()
      expect(await counts(alice, 'rent')).toEqual({ rent: 1 })
      await finish(RENT, 10)
      expect(await counts(alice, 'rent')).toEqual({ rent: 1 })
    })

    test('ignores a version that was replaced meanwhile', async ({ records, alice, upload, counts }) => {
      await upload(alice, 'a')
      const [old] = await records.queue.claim(1)
      await upload(alice, 'a')
      const result = { chunkCount: 1, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }
      await records.queue.finish([{ job: old!, ...result, words: toJson(RENT) }])
      expect(await counts(alice, 'rent')).toEqual({})
    })

    test('drops the words of deleted documents, also with a whole project', async ({
      records,
      alice,
      projects,
      ready,
      counts,
    }) => {
      await ready(alice, 'a', RENT)
      await ready(alice, 'b', [['rent', 'rent']], 1)
      await records.projects.delete(projects.get(alice)!)
      expect(await counts(alice, 'rent', 'miete')).toEqual({})
      expect(await records.vocabulary.wordsFrom(await visibleTo(records, alice), 'r', '')).toEqual({ words: [], next: null })
    })

    test('takes in 250,000 words and then only words it has, and subtracts only what it counted', async ({
      records,
      alice,
      ready,
      counts,
    }) => {
      const many = (from: number, count: number): Word[] =>
        Array.from({ length: count }, (_, i) => [`w${from + i}`, `w${from + i}`])
      const first = await ready(alice, 'first', many(0, 249_999))
      const second = await ready(alice, 'second', [...RENT, ...many(0, 1)])
      expect(await counts(alice, 'rent', 'rents', 'miete', 'w0')).toEqual({ rent: 1, w0: 2 })
      await ready(alice, 'third', RENT)
      await records.documents.delete(await visibleTo(records, alice), second)
      expect(await counts(alice, 'rent', 'rents', 'miete', 'w0')).toEqual({ rent: 1, w0: 1 })
      await records.documents.delete(await visibleTo(records, alice), first)
      await ready(alice, 'third', RENT)
      expect(await counts(alice, 'rent', 'rents', 'miete', 'w0')).toEqual({ rent: 1, rents: 1, miete: 1 })
    })

    test('always matches the existing documents, after any changes', async ({ records, alice, bob, ready }) => {
      const word = fc.constantFrom<Word>(['rent', 'rent'], ['rents', 'rent'], ['rent', 'rents'], ['pump', 'pump'], ['éa b', 'x'])
      const step = fc.record({
        path: fc.constantFrom('a', 'b', 'c'),
        owner: fc.boolean(),
        what: fc.constantFrom('ready', 'ready', 'without words', 'delete'),
        words: fc.uniqueArray(word, { selector: (one) => one.join() }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const now = new Map<string, { id: string; owner: string; words: Word[] }>()
          for (const { path, owner, what, words } of steps) {
            const ownerId = owner ? alice : bob
            const key = ownerId + path
            if (what !== 'delete') {
              const id = await ready(ownerId, path, what === 'ready' ? words : undefined, 1)
              now.set(key, { id, owner: ownerId, words: what === 'ready' ? words : [] })
            } else if (now.has(key)) {
              await records.documents.delete(await visibleTo(records, ownerId), now.get(key)!.id)
              now.delete(key)
            }
          }
          for (const ownerId of [alice, bob]) {
            const own = [...now.values()].filter((document) => document.owner === ownerId).flatMap(({ words }) => words)
            const entries = await records.vocabulary.entries(await visibleTo(records, ownerId), ['rent', 'rents', 'pump', 'éa b'])
            const documents = Map.groupBy(own, ([one, term]) => `${one} ${term}`)
            expect(new Map(entries.map((entry) => [`${entry.word} ${entry.term}`, entry.documents]))).toEqual(
              new Map([...documents].map(([key, words]) => [key, words.length])),
            )
          }
          for (const { id, owner } of now.values()) await records.documents.delete(await visibleTo(records, owner), id)
        }),
        { numRuns: 12 },
      )
    })
  })
}
