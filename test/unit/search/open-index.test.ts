import { expect, test } from 'vitest'
import type { ProjectSegments } from '../../../src/index/segments/store/project-segments.ts'
import { OpenIndex } from '../../../src/search/threads/open-index.ts'

const project = (projectId: string, isIncomplete = true): ProjectSegments => ({
  projectId,
  ownerId: 'usr_a',
  segments: [],
  isIncomplete,
})
const OWNER = { ownerId: 'usr_a' }

test('projects are in the order of their IDs, and the array of a search never changes', () => {
  const index = new OpenIndex()
  const ids = () => index.projectsOf(OWNER).map(({ id }) => id)
  index.change(['d', 'b', 'c', 'a'].map((id) => project(id)))
  expect(ids()).toEqual(['a', 'b', 'c', 'd'])
  const before = index.projectsOf(OWNER)
  expect(index.projectsOf(OWNER)).toBe(before)
  // A project without segments that is not incomplete no longer exists.
  index.change([project('c', false), project('bb'), project('d'), project('x', false)])
  expect(ids()).toEqual(['a', 'b', 'bb', 'd'])
  expect(before.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
  // Projects that have not changed keep what a search has opened.
  expect(index.projectsOf(OWNER)[0]).toBe(before[0])
  index.change(['a', 'b', 'bb', 'd'].map((id) => project(id, false)))
  expect(ids()).toEqual([])
})
