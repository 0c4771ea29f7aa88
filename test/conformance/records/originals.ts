import { describe, expect } from 'vitest'
import { warningCode } from '../../support/codes.ts'
import type { DocumentsTest } from './fixtures.ts'

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string]

export function originalsConformance(test: DocumentsTest): void {
  describe('originals', () => {
    test('lists each original once, in order, also those of documents in the trash', async ({ records, project, add }) => {
      await add({ path: 'b', sha256: B, sizeBytes: 20 })
      const { id } = await add({ path: 'c', sha256: C, sizeBytes: 30 })
      await add({ path: 'a', sha256: A, sizeBytes: 10 })
      await add({ path: 'second a', sha256: A, sizeBytes: 10 })
      await records.documents.delete(new Set([project]), id, { isKept: true })
      const { originals } = records
      expect(await originals.list({ after: null, limit: 2 })).toEqual([
        { sha256: A, sizeBytes: 10 },
        { sha256: B, sizeBytes: 20 },
      ])
      expect(await originals.list({ after: B, limit: 2 })).toEqual([{ sha256: C, sizeBytes: 30 }])
      expect(await originals.totals()).toEqual({ originals: 3, bytes: 60 })
    })

    test('warns about a damaged original in every document that has it, until it is intact', async ({
      records,
      clock,
      project,
      add,
      makeReady,
    }) => {
      const [first, second] = [await add({ path: 'a' }), await add({ path: 'b' })]
      const other = await add({ path: 'c', sha256: C })
      for (let i = 0; i < 3; i++) await makeReady()
      const projects = new Set([project])
      const warningsOf = async (id: string) =>
        (await records.documents.get(projects, id))!.warnings.map(({ code }) => code).filter((code) => code !== 'no_text')
      const { originals } = records
      const foundAt = clock.now()
      await originals.markDamaged(A, 'cut_off')
      clock.advance(1000)
      await originals.markDamaged(A, 'missing')
      expect(await originals.damaged()).toEqual([{ sha256: A, damage: 'missing', foundAt }])
      expect(await originals.damagedAmong([A, B])).toEqual(new Set([A]))
      for (const { id } of [first, second]) expect(await warningsOf(id)).toEqual([warningCode('original_damaged')])
      expect(await warningsOf(other.id)).toEqual([])
      expect((await records.documents.get(projects, first.id))!.status).toBe('ready')

      await originals.markIntact(A)
      expect(await originals.damaged()).toEqual([])
      for (const { id } of [first, second]) expect(await warningsOf(id)).toEqual([])
    })

    test('leaves out damaged originals that no document has any more', async ({ records, project, add }) => {
      const { id } = await add()
      await records.originals.markDamaged(A, 'changed')
      await records.documents.delete(new Set([project]), id)
      expect(await records.originals.damaged()).toEqual([])
    })

    test('remembers how far the scrub has come', async ({ records, clock }) => {
      expect(await records.originals.progress()).toBeNull()
      const progress = { startedAt: clock.now(), after: A, checked: 7, finishedAt: null }
      await records.originals.saveProgress(progress)
      expect(await records.originals.progress()).toEqual(progress)
      const ended = { ...progress, after: null, finishedAt: clock.now() }
      await records.originals.saveProgress(ended)
      expect(await records.originals.progress()).toEqual(ended)
    })
  })
}
