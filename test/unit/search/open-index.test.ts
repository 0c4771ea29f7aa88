import { expect, test } from 'vitest'
import type { ProjectSegments } from '../../../src/index/segments/store/project-segments.ts'
import { OpenIndex } from '../../../src/search/threads/open-index.ts'

const project = (projectId: string, isIncomplete = true): ProjectSegments => ({
  projectId,
  segments: [],
  isIncomplete,
})
const ALL = ['a', 'b', 'bb', 'c', 'd', 'x']

test('a search gets the projects that it names, and its array never changes', () => {
  const index = new OpenIndex()
  const ids = () => index.projectsOf(ALL).map(({ id }) => id)
  index.change(['d', 'b', 'c', 'a'].map((id) => project(id)))
  expect(ids()).toEqual(['a', 'b', 'c', 'd'])
  const before = index.projectsOf(ALL)
  expect(index.projectsOf(ALL)).toBe(before)
  // A project without segments that is not incomplete no longer exists.
  index.change([project('c', false), project('bb'), project('d'), project('x', false)])
  expect(ids()).toEqual(['a', 'b', 'bb', 'd'])
  expect(before.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
  expect(index.projectsOf(['bb', 'none', 'd']).map(({ id }) => id)).toEqual(['bb', 'd'])
  expect(index.projectsOf([])).toEqual([])
  // Projects that have not changed keep what a search has opened.
  expect(index.projectsOf(ALL)[0]).toBe(before[0])
  index.change(['a', 'b', 'bb', 'd'].map((id) => project(id, false)))
  expect(ids()).toEqual([])
})
