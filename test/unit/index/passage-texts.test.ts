import { beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import type { PassageTable } from '../../../src/index/passage-table.ts'
import { DamagedTexts, corrupt, indexFailure } from '../../../src/index/segments/failures.ts'
import { PassageTexts } from '../../../src/index/passage-texts.ts'
import { DIMENSIONS } from '../../conformance/passage-index.ts'
import { errorCode } from '../../support/codes.ts'
import { createMemoryTable } from '../../support/memory-passage-table.ts'
import { stored } from '../../support/passage-table.ts'

/** Rows with texts that don't match their hashes, and rows that fail with this error. */
let damaged: Set<bigint>
let failing: Map<bigint, Error>
let texts: PassageTexts
let rows: bigint[]
let removed: bigint[]
let verifications: number
let reads: number
let becomeReadable: (damaged: readonly bigint[]) => void

beforeEach(async () => {
  ;[damaged, failing, removed, verifications, reads] = [new Set(), new Map(), [], 0, 0]
  const memory = createMemoryTable(DIMENSIONS)
  rows = await memory.add(Array.from({ length: 250 }, (_, n) => stored('doc_1', n)))
  const guarded = (wanted: readonly bigint[]) => {
    reads++
    for (const row of wanted) if (failing.has(row)) throw failing.get(row)!
  }
  const table: Pick<PassageTable, 'read' | 'rowsWithPhrases'> = {
    async read(wanted) {
      guarded(wanted)
      const found = wanted.filter((row) => damaged.has(row))
      if (found.length > 0) throw new DamagedTexts(found)
      return memory.read(wanted)
    },
    async rowsWithPhrases(wanted, phrases) {
      guarded(wanted)
      return memory.rowsWithPhrases(wanted, phrases)
    },
  }
  const watch = {
    verify: () => void verifications++,
    onReadable: (listener: typeof becomeReadable) => void (becomeReadable = listener),
  }
  const removeDocuments = async (gone: readonly bigint[]) => void removed.push(...gone)
  texts = new PassageTexts({ table, watch, removeDocuments, log: silentLogger })
})

test('a read returns the other rows when some can not be read, and does not try these again', async () => {
  failing.set(rows[1]!, corrupt('cut off')).set(rows[3]!, corrupt('cut off'))
  expect([...(await texts.read(rows.slice(0, 5))).keys()]).toEqual([rows[0], rows[2], rows[4]])
  expect(verifications).toBeGreaterThan(0)
  expect([texts.areDamaged([rows[0]!]), texts.areDamaged(rows.slice(0, 2))]).toEqual([false, true])
  const before = reads
  expect((await texts.read(rows.slice(0, 5))).size).toBe(3)
  expect([reads - before, removed]).toEqual([1, []])
  // The whole table could be read, so the failure was not damage.
  failing.clear()
  becomeReadable([])
  expect((await texts.read(rows.slice(0, 5))).size).toBe(5)
})

test('a read removes documents whose texts do not match their hashes, and returns the other rows', async () => {
  damaged.add(rows[1]!)
  expect([...(await texts.read(rows.slice(0, 3))).keys()]).toEqual([rows[0], rows[2]])
  expect([removed, verifications, texts.areDamaged(rows)]).toEqual([[rows[1]], 1, true])
  becomeReadable([rows[1]!, rows[9]!])
  await texts.stop()
  expect([removed, texts.areDamaged([rows[9]!])]).toEqual([[rows[1], rows[9]], true])
})

test('phrases are found in the rows that can be read, with a bounded number of reads', async () => {
  failing.set(rows[120]!, corrupt('cut off'))
  const found = await texts.rowsWithPhrases(rows, { phrases: ['passage'] })
  expect(found).toEqual([...rows.slice(0, 100), ...rows.slice(200)])
  expect([reads, texts.areDamaged([rows[120]!]), texts.areDamaged([rows[0]!])]).toEqual([4, true, false])
})

test('a failure that does not mean damage is reported', async () => {
  failing.set(rows[0]!, indexFailure(new Error('Too many open files (os error 24)')))
  await expect(texts.read(rows)).rejects.not.toMatchObject({ code: errorCode('index_corrupt') })
  await expect(texts.rowsWithPhrases(rows, { phrases: ['passage'] })).rejects.toThrow()
  expect([verifications, texts.areDamaged(rows)]).toEqual([0, false])
})
