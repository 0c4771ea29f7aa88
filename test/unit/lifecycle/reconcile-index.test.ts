import { expect, test } from 'vitest'
import type { PassageIndex } from '../../../src/index/passage-index.ts'
import { missingFrom, reconcileIndex } from '../../../src/lifecycle/reconcile-index.ts'

test.each([
  ['a document that is there as expected', { version: 2, chunks: 3 }, { version: 2, chunks: 3 }, []],
  ['a document that is not there', undefined, { version: 2, chunks: 3 }, ['a']],
  ['a document of an earlier version', { version: 1, chunks: 3 }, { version: 2, chunks: 3 }, ['a']],
  ['a document with too few passages', { version: 2, chunks: 2 }, { version: 2, chunks: 3 }, ['a']],
  ['a document without passages', undefined, { version: 2, chunks: 0 }, []],
])('%s', (_, there, expected, missing) => {
  expect(missingFrom(new Map(there && [['a', there]]), new Map([['a', expected]]))).toEqual(missing)
})

test('reports missing documents before it deletes unknown ones, and returns what may be in the index', async () => {
  const events: string[] = []
  const index = {
    inventory: async () =>
      new Map([
        ['kept', { version: 1, chunks: 1 }],
        ['deleted', { version: 1, chunks: 1 }],
      ]),
    deleteDocuments: async (ids: string[]) => void events.push(`deleted ${ids.join()}`),
  } as unknown as PassageIndex
  const present = await reconcileIndex(index, {
    expected: async () =>
      new Map([
        ['kept', { version: 1, chunks: 1 }],
        ['lost', { version: 1, chunks: 1 }],
      ]),
    onMissing: async (ids) => void events.push(`missing ${ids.join()}`),
    unknown: async (ids) => ids.filter((id) => id === 'deleted'),
  })
  expect(events).toEqual(['missing lost', 'deleted deleted'])
  expect([...present]).toEqual(['kept', 'deleted'])
})
