import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { foldName } from '../../../src/core/fold-name.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import type { PassageIndex } from '../../../src/index/passage-index.ts'
import { phrasesToSql } from '../../../src/index/passages/sql.ts'
import { createIndexStore } from '../../../src/index/index-store.ts'
import { analysed, passage, DIMENSIONS } from '../../conformance/passage-index.ts'
import { keywordSearch } from '../../support/search-index.ts'

// Characters that mean something in SQL, in LIKE or in a path.
const nasty = fc.string({
  unit: fc.constantFrom(
    "'",
    '"',
    '\\',
    '%',
    '_',
    '`',
    ';',
    '-',
    '/',
    '*',
    '[',
    ']',
    '(',
    ')',
    ',',
    '\n',
    '\0',
    ' ',
    'a',
    'B',
    'é',
    '検',
    '👩',
  ),
  maxLength: 8,
})
const values = fc.sample(nasty, { numRuns: 60, seed: 7 })

let folder: string
let index: PassageIndex
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-filter-'))
  index = await createIndexStore({ dataDir: folder, log: silentLogger }).open({ id: 'idx_1', dimensions: DIMENSIONS })
  await index.put(
    values.map((value, n) => {
      const documentId = `doc_${n}`
      return {
        documentId,
        isNew: true,
        passages: [
          analysed(
            passage(documentId, 0, {
              path: value,
              name: value,
              text: `x${value}x`,
              tags: [value, `n${n}`],
              mediaType: value,
            }),
          ),
        ],
      }
    }),
  )
  await index.optimize()
})
afterAll(async () => {
  await index.close()
  await rm(folder, { recursive: true, force: true })
})

const found = async (filter: object) =>
  (await keywordSearch(index, ['passage'], { ...filter }, 1000)).map((hit) => hit.documentId).toSorted()
const expected = (matches: (value: string) => boolean) =>
  values.flatMap((value, n) => (matches(value) ? [`doc_${n}`] : [])).toSorted()

test('any text finds exactly the values that equal it, start with it or have it as a tag', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(nasty, fc.constantFrom(...values)), async (text) => {
      expect(await found({ pathPrefix: text })).toEqual(expected((value) => value.startsWith(text)))
      const equal = expected((value) => value === text)
      expect(await found({ tags: [text] })).toEqual(equal)
      expect(await found({ projectIds: [text] })).toEqual([])
      expect(await found({ mediaTypes: [text, 'none'] })).toEqual(equal)
    }),
    { numRuns: 60, seed: 11 },
  )
})

test('finds any text in names literally, in any letter case', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(nasty, fc.constantFrom(...values)), async (text) => {
      const inName = (value: string) => foldName(value).includes(foldName(text))
      expect(await found({ nameParts: [text] })).toEqual(expected(inName))
      expect(await found({ withoutNameParts: [text] })).toEqual(expected((value) => !inName(value)))
    }),
    { numRuns: 40, seed: 13 },
  )
})

test('takes a phrase of any characters literally, never as a pattern', async () => {
  const flat = (text: string) => text.replace(/\s+/g, ' ')
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...values.filter((value) => value.trim() !== '')), async (value) => {
      // With a letter on both sides, it stands only in texts that have all of it.
      const phrase = `x${value}x`
      const has = (text: string) =>
        flat(foldName(text))
          .replaceAll('\0', '')
          .includes(flat(foldName(value)).replaceAll('\0', ''))
      const hits = await found({ phrases: [phrase] })
      expect(hits).toContain(`doc_${values.indexOf(value)}`)
      for (const hit of hits) expect(has(values[Number(hit.slice(4))]!)).toBe(true)
      expect(await found({ withoutPhrases: [phrase] })).toEqual(expected(() => true).filter((id) => !hits.includes(id)))
    }),
    { numRuns: 60, seed: 17 },
  )
})

test('a phrase matches whole words, any white space, and similar-looking marks', async () => {
  await index.put([
    {
      documentId: 'doc_p',
      isNew: true,
      passages: [
        analysed(
          passage('doc_p', 0, {
            text: 'The tenant’s rent\n\u00a0 is long\u2010term; Ku\u0308ndigung und 押金条款',
            title: 'Of Leases',
            heading: 'Terms \u203a Refunds',
          }),
        ),
      ],
    },
  ])
  const has = async (phrase: string) => (await found({ phrases: [phrase], documentIds: ['doc_p'] })).length === 1
  for (const phrase of ["tenant's RENT is", 'long-term', 'kündigung', '押金', 'of leases', 'refunds', 'rent is long-term;'])
    expect([phrase, await has(phrase)]).toEqual([phrase, true])
  for (const phrase of ['tenant rent', 'ent is', 'rent i', 'kündig', 'lease', 'rent.is', 'long term'])
    expect([phrase, await has(phrase)]).toEqual([phrase, false])
})

test('patterns that are slow in backtracking engines cost nothing', async () => {
  const evil = `(a+)+$ ${'a?'.repeat(200)}${'a'.repeat(200)} ${'('.repeat(500)} ${'.*'.repeat(400)}`
  expect(await found({ phrases: [evil] })).toEqual([])
  expect(await found({ withoutPhrases: Array.from({ length: 20 }, () => evil) })).not.toEqual([])
})

test('looks for all phrases as plain text before it looks for whole words, and has each edge once', () => {
  const edges = (sql: string) => sql.split("regexp_like(text, '").map((term) => term.split('[^').length - 1)
  const phrases = ['late fee', 'rent', 'deposit']
  expect(edges(phrasesToSql({ phrases }))).toEqual([0, 0, 0, 0, 6, 6, 6])
  expect(edges(phrasesToSql({ withoutPhrases: phrases }))).toEqual([0, 0, 6])
})
