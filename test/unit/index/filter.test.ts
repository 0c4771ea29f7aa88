import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import type { ChunkIndex } from '../../../src/index/chunk-index.ts'
import { filterToSql } from '../../../src/index/filter.ts'
import { createLanceIndexStore } from '../../../src/index/lance.ts'
import { chunk, DIMENSIONS } from '../../conformance/chunk-index.ts'

// Everything that SQL or LIKE could take for more than a character.
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
let index: ChunkIndex
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-filter-'))
  index = await createLanceIndexStore({ folder, log: silentLogger }).open({ id: 'gen_1', dimensions: DIMENSIONS })
  await index.put(
    values.map((value, n) => {
      const documentId = `doc_${n}`
      return {
        documentId,
        isNew: true,
        chunks: [chunk(documentId, 0, { path: value, tags: [value, `n${n}`], projectId: value, mediaType: value })],
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
  (await index.keywordSearch(['passage'], { ownerId: 'usr_a', ...filter }, 1000)).map((hit) => hit.documentId).toSorted()
const expected = (matches: (value: string) => boolean) =>
  values.flatMap((value, n) => (matches(value) ? [`doc_${n}`] : [])).toSorted()

test('any text finds exactly what equals it, begins with it or has it as a tag', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(nasty, fc.constantFrom(...values)), async (text) => {
      expect(await found({ pathPrefix: text })).toEqual(expected((value) => value.startsWith(text)))
      const equal = expected((value) => value === text)
      expect(await found({ tags: [text] })).toEqual(equal)
      expect(await found({ projectIds: [text] })).toEqual(equal)
      expect(await found({ mediaTypes: [text, 'none'] })).toEqual(equal)
    }),
    { numRuns: 60, seed: 11 },
  )
})

test('every filter is bound to its owner first, and a missing part does not widen it', () => {
  expect(filterToSql({ ownerId: "o'hara" })).toBe("owner_id = 'o''hara'")
  expect(filterToSql({ ownerId: 'a', projectIds: [] })).toBe("owner_id = 'a' AND FALSE")
})
