import { expect, test } from 'vitest'
import { countFacets, type FacetDocument, nameProjects } from '../../../src/search/facets.ts'

const document = (change: Partial<FacetDocument> = {}): FacetDocument => ({
  projectId: 'prj_1',
  path: 'a.txt',
  mediaType: 'text/plain',
  tags: [],
  createdAt: new Date('2026-06-01'),
  ...change,
})
const pairs = (values: readonly { value: string; count: number }[] = []) => values.map(({ value, count }) => [value, count])

test('counts documents, most frequent values first, equally frequent ones in order of their characters', () => {
  const found = ['b', 'c', 'a', 'c', 'B'].map((mediaType) => document({ mediaType }))
  expect(pairs(countFacets(['media_type'], found).media_type)).toEqual([
    ['c', 2],
    ['B', 1],
    ['a', 1],
    ['b', 1],
  ])
})

test('counts only the requested facets, even when nothing was found', () => {
  expect(countFacets(['tag', 'year', 'tag'], [])).toEqual({ tag: [], year: [] })
  expect(countFacets([], [document()])).toEqual({})
})

test('counts a document once for each of its tags', () => {
  const found = [document({ tags: ['x', 'y', 'x'] }), document({ tags: ['y'] }), document()]
  expect(pairs(countFacets(['tag'], found).tag)).toEqual([
    ['y', 2],
    ['x', 1],
  ])
})

test('counts a document in each folder of its path, as path_prefix selects it', () => {
  const paths = ['root.txt', 'a/1.txt', 'a/b/2.txt', 'a/b/3.txt', 'ab/4.txt', '/etc/5.txt']
  const { folder } = countFacets(
    ['folder'],
    paths.map((path) => document({ path })),
  )
  expect(pairs(folder)).toEqual([
    ['a/', 3],
    ['a/b/', 2],
    ['/', 1],
    ['/etc/', 1],
    ['ab/', 1],
  ])
  for (const { value, count } of folder!) expect(paths.filter((path) => path.startsWith(value))).toHaveLength(count)
})

test('counts the years of creation in UTC', () => {
  const times = ['2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:30:00.000+01:00']
  expect(
    pairs(
      countFacets(
        ['year'],
        times.map((time) => document({ createdAt: new Date(time) })),
      ).year,
    ),
  ).toEqual([
    ['2025', 2],
    ['2026', 1],
  ])
})

test('a facet has at most 100 values, and a path at most ten levels', () => {
  const found = Array.from({ length: 300 }, (_, i) => document({ tags: [String(i), 'all'], path: `${'x/'.repeat(400)}${i}` }))
  const { tag, folder } = countFacets(['tag', 'folder'], found)
  expect(tag).toHaveLength(100)
  expect(tag![0]).toEqual({ value: 'all', count: 300 })
  expect(pairs(folder)).toEqual(Array.from({ length: 10 }, (_, level) => ['x/'.repeat(level + 1), 300]))
})

test('projects get their names before they are sorted and limited, and projects without a name are left out', () => {
  const found = Array.from({ length: 300 }, (_, i) => document({ projectId: `prj_${i}` }))
  const counted = countFacets(['project', 'year'], [...found, document({ projectId: 'prj_7' }), document({ projectId: 'gone' })])
  const named = nameProjects(counted, (id) => (id === 'gone' ? null : `name ${999 - Number(id.slice(4))}`))
  expect(named.year).toEqual([{ value: '2026', count: 302 }])
  expect(named.project).toHaveLength(100)
  expect(pairs(named.project).slice(0, 3)).toEqual([
    ['name 992', 2],
    ['name 700', 1],
    ['name 701', 1],
  ])
})
