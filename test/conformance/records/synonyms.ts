import { describe, expect } from 'vitest'
import type { SynonymRule } from '../../../src/core/synonyms.ts'
import type { SavedSynonym } from '../../../src/records/synonyms.ts'
import { errorCode } from '../../support/codes.ts'
import type { DocumentsTest } from './fixtures.ts'

const CAPEX: SynonymRule = { words: ['capex', 'capital expenditure'], expandsTo: null }
const KFZ: SynonymRule = { words: ['Kfz'], expandsTo: ['Kraftfahrzeug'] }
const NDA: SynonymRule = { words: ['nda', 'confidentiality agreement', 'secrecy, agreed'], expandsTo: null }

export function synonymsConformance(base: DocumentsTest): void {
  const test = base.extend('addRules', ({ records, project }) => async (rules: readonly SynonymRule[], maxSynonyms = 100) => {
    return (await records.synonyms.add({ projectId: project, rules, maxSynonyms }))!
  })

  describe('synonyms', () => {
    test('lists rules in the order in which they were added, a result page at a time', async ({ records, project, addRules }) => {
      await addRules([KFZ])
      await addRules([NDA, CAPEX])
      const first = await records.synonyms.list(project, { limit: 2 })
      const second = await records.synonyms.list(project, { limit: 2, cursor: first.nextCursor! })
      expect([...first.items, ...second.items]).toMatchObject([KFZ, NDA, CAPEX])
      expect(second.nextCursor).toBeNull()
      expect(await records.synonyms.byProject(new Set([project]))).toEqual(new Map([[project, [KFZ, NDA, CAPEX]]]))
    })

    test('keeps a rule that is added again, in whatever order and letter case', async ({ records, project, addRules }) => {
      const [made] = await addRules([CAPEX])
      expect(made).toMatchObject({ isNew: true, record: { ...CAPEX, projectId: project } })
      const again = { words: ['Capital Expenditure', 'CAPEX'], expandsTo: null }
      const oneWay = { words: ['capex'], expandsTo: ['capital expenditure'] }
      expect(await addRules([again, oneWay, CAPEX])).toMatchObject([
        { ...made, isNew: false },
        { isNew: true, record: oneWay },
      ])
      expect((await records.synonyms.list(project, { limit: 10 })).items).toHaveLength(2)
    })

    test('replaces all rules, and keeps the ids of those that stay', async ({ records, project, addRules }) => {
      const made = await addRules([CAPEX, KFZ])
      const change = { projectId: project, maxSynonyms: 5 }
      expect(await records.synonyms.replace({ ...change, rules: [NDA, KFZ] })).toMatchObject({
        synonyms: [
          { isNew: true, record: NDA },
          { isNew: false, record: made[1]!.record },
        ],
        removed: 1,
      })
      expect(await records.synonyms.byProject(new Set([project]))).toEqual(new Map([[project, [KFZ, NDA]]]))
      expect(await records.synonyms.replace({ ...change, rules: [] })).toEqual({ synonyms: [], removed: 2 })
      expect(await records.synonyms.byProject(new Set([project]))).toEqual(new Map())
    })

    test('limits the words and phrases in all projects of an owner, and changes nothing when there are too many', async ({
      records,
      alice,
      bob,
      project,
      addRules,
    }) => {
      const { id: second } = await records.projects.create({ ownerId: alice, name: 'second', description: '' })
      const { id: foreign } = await records.projects.create({ ownerId: bob, name: 'foreign', description: '' })
      await addRules([CAPEX], 5)
      const change = { projectId: second, maxSynonyms: 5 }
      const refusal = { code: errorCode('too_many_synonyms'), details: { limit: 5 } }
      for (const save of [records.synonyms.add, records.synonyms.replace])
        await expect(save({ ...change, rules: [KFZ, NDA] })).rejects.toMatchObject(refusal)
      expect((await records.synonyms.list(second, { limit: 10 })).items).toEqual([])
      expect(await records.synonyms.add({ ...change, rules: [NDA] })).toHaveLength(1)
      expect(await records.synonyms.add({ projectId: foreign, maxSynonyms: 5, rules: [KFZ, NDA] })).toHaveLength(2)
      // What is already there needs no room.
      expect(await addRules([CAPEX], 1)).toMatchObject([{ isNew: false }])
      expect(await records.synonyms.replace({ ...change, projectId: project, rules: [KFZ] })).toMatchObject({ removed: 1 })
    })

    test('belong to one project', async ({ records, alice, project, addRules }) => {
      const [{ record }] = (await addRules([CAPEX])) as [SavedSynonym]
      const nowhere = { projectId: 'prj_none', rules: [KFZ], maxSynonyms: 100 }
      expect(await records.synonyms.add(nowhere)).toBeNull()
      expect(await records.synonyms.replace(nowhere)).toBeNull()
      const { id: second } = await records.projects.create({ ownerId: alice, name: 'second', description: '' })
      expect((await records.synonyms.list(second, { limit: 10 })).items).toEqual([])
      expect(await records.synonyms.byProject(new Set([second]))).toEqual(new Map())
      expect(await records.synonyms.delete(second, record.id)).toBe(false)
      expect(await records.synonyms.delete(project, record.id)).toBe(true)
      expect(await records.synonyms.delete(project, record.id)).toBe(false)
    })

    test('deletes the rules with their project, and the version grows with every change', async ({
      records,
      project,
      addRules,
    }) => {
      const versions = [await records.synonyms.version()]
      const [made] = await addRules([CAPEX, KFZ])
      versions.push(await records.synonyms.version())
      await records.synonyms.delete(project, made!.record.id)
      versions.push(await records.synonyms.version())
      await records.projects.delete(project)
      versions.push(await records.synonyms.version())
      expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b))
      expect(await records.synonyms.byProject(new Set([project]))).toEqual(new Map())
      expect((await records.synonyms.list(project, { limit: 10 })).items).toEqual([])
    })
  })
}
