import { expect, test } from 'vitest'
import { linkMarkup } from '../../../src/core/markdown-links.ts'
import { searchCommand } from '../../../src/pages/search/search.tsx'
import { activeFilters, facetGroups } from '../../../src/pages/search/filters.ts'
import { shortFolder, shortHeading } from '../../../src/pages/search/short-paths.ts'

test.each([
  ['A › B', 'A › B'],
  [`Annual report › ${'Middle › '.repeat(12)}Leases`, 'Annual report › … › Leases'],
  [`${'Long '.repeat(17)} › Notes › Leases`, '… › Leases'],
  ['word '.repeat(40).trim(), `${'word '.repeat(17).trim()}…`],
])('a heading path of more than 90 characters is shortened from its middle: %j', (heading, short) => {
  expect(shortHeading(heading)).toBe(short)
  expect(shortHeading(heading).length).toBeLessThanOrEqual(90)
})

test('a long folder keeps its last levels', () => {
  expect(shortFolder('lease.pdf')).toBe('')
  expect(shortFolder('contracts/lease.pdf')).toBe('contracts/')
  expect(shortFolder(`${'level/'.repeat(20)}lease.pdf`)).toMatch(/^…\/(?:level\/)+$/)
  expect(shortFolder(`${'x'.repeat(200)}/lease.pdf`)).toBe('…/')
})

const shown = (text: string) => {
  let at = 0
  let left = ''
  for (const [start, end] of linkMarkup(text)) {
    left += text.slice(at, start)
    at = end
  }
  return left + text.slice(at)
}

test.each([
  ['see [the terms](https://example.org/a_(b)) and [more](x)', 'see [the terms](https://example.org/a_(b)) and more'],
  ['see [the terms](/a "Title").', 'see the terms.'],
  ['![logo](logo.png) [![built](badge.svg)](https://example.org)', 'logo built'],
  ['a[i] (no link) and [open\n](x)', 'a[i] (no link) and [open\n](x)'],
])('of a Markdown link only the words are shown: %j', (text, words) => {
  expect(shown(text)).toBe(words)
})

test('the command runs the same search, with every value quoted for a shell', () => {
  expect(
    searchCommand({ q: "tenant's rent", project: 'prj_1', tags: 'a b, c', path: 'x/', after: '2026-01-01', sort: 'newest' }),
  ).toBe(
    "docsearch search 'tenant'\\''s rent' --project prj_1 --tag 'a b' --tag c --path x/ --after 2026-01-01 --sort newest --group",
  )
  expect(searchCommand({ q: '-draft rent', group: 'chunk', tags: '--yes' })).toBe("docsearch search --tag=--yes -- '-draft rent'")
  expect(searchCommand({ q: 'rent', document: 'doc_1' })).toBeNull()
})

test('a filter in use can be removed, and a whole year is one filter', () => {
  const fields = { q: 'x', tags: 'a, b', after: '2025-01-01', before: '2026-01-01', type: 'exe' }
  expect(activeFilters(fields, [], null)).toEqual([
    { name: 'Type', value: 'exe', without: { type: '' } },
    { name: 'Tag', value: 'a', without: { tags: 'b' } },
    { name: 'Tag', value: 'b', without: { tags: 'a' } },
    { name: 'Year', value: '2025', without: { after: '', before: '' } },
  ])
})

test('only facets that divide the results are offered', () => {
  const facets = {
    project: [{ value: 'only', count: 9 }],
    media_type: [
      { value: 'application/pdf', count: 5 },
      { value: 'text/plain', count: 4 },
    ],
    year: [{ value: '2025', count: 9 }],
  }
  const groups = facetGroups(facets, { q: 'x', after: '2025-01-01', before: '2026-01-01' }, [])
  expect(groups.map(({ name, choices }) => [name, choices.map(({ change }) => change)])).toEqual([
    ['Type', [{ type: 'pdf' }, { type: 'text' }]],
    ['Year', [{ after: '', before: '' }]],
  ])
})
