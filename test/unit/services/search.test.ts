import { expect, test } from 'vitest'
import type { VisibleProject } from '../../../src/core/model.ts'
import type { Records } from '../../../src/records/records.ts'
import type { SearchOutcome } from '../../../src/search/search.ts'
import { actorOf, createAccess } from '../../../src/services/access.ts'
import { createSearchService } from '../../../src/services/search.ts'
import { errorCode } from '../../support/codes.ts'

const actor = actorOf({ id: 'usr_a', role: 'member' })
const project = (id: string): VisibleProject => ({ id, name: `named ${id}`, ownerId: 'usr_b', ownerName: 'B', role: 'reader' })

/** A service whose actor loses a project during each of the first searches. `searched` has the projects of each search. */
function losing(losses: readonly string[]) {
  let projects = ['prj_1', 'prj_2', 'prj_3', 'prj_4'].map(project)
  const left = [...losses]
  const searched: (readonly string[])[] = []
  const service = createSearchService({
    // The searches find nothing, so they read no records.
    records: {} as Records,
    access: createAccess({ members: { visibleTo: async () => ({ projects, deletedIds: [] }) } }),
    search: {
      async search({ projectIds }) {
        searched.push(projectIds)
        const lost = left.shift()
        projects = projects.filter(({ id }) => id !== lost)
        return { hits: [], facets: null } as unknown as SearchOutcome
      },
    },
  })
  const request = { query: 'q', limit: 10, offset: 0 } as Parameters<typeof service.search>[1]
  return {
    searched,
    search: (wanted?: string[]) =>
      service.search(actor, { ...request, ...(wanted && { projects: wanted }) }, AbortSignal.any([])),
  }
}

test('a search starts again without a project that the user lost in the meantime', async () => {
  const { search, searched } = losing(['prj_2'])
  await search()
  expect(searched).toEqual([
    ['prj_1', 'prj_2', 'prj_3', 'prj_4'],
    ['prj_1', 'prj_3', 'prj_4'],
  ])
})

test('a search of a project that the user lost in the meantime is refused, and other searches continue', async () => {
  await expect(losing(['prj_2']).search(['prj_2'])).rejects.toMatchObject({ code: errorCode('project_not_found') })
  const { search, searched } = losing(['prj_2'])
  await search(['prj_1'])
  expect(searched).toHaveLength(1)
})

test('a search starts at most three times', async () => {
  const { search, searched } = losing(['prj_1', 'prj_2', 'prj_3'])
  await expect(search()).rejects.toMatchObject({ code: errorCode('unavailable') })
  expect(searched).toHaveLength(3)
})
