import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentName, OTHER_VARIABLES, SETTINGS } from '../src/config/settings.ts'
import { CHECKS, FINDINGS } from '../src/core/findings.ts'
import { root } from './support/sources.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'src/README.md',
  ...globSync('{docs,bench,models,training,test/quality/mismatch}/*.md', { cwd: root }),
]
const withoutCode = (markdown: string) => markdown.replaceAll(/^```.*?^```/gms, '')

/** The anchor that a repository host gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s/g, '-')
}

test('the README has at most 200 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200)
})

test('every relative link leads to a file and a heading that exist', () => {
  const broken = pages.flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(root, target))) return `${page}: ${path}`
      const headings = anchor === undefined ? [] : [...withoutCode(read(target)).matchAll(/^#+ (.+)$/gm)]
      const found = headings.some(([, heading = '']) => anchorOf(heading) === anchor)
      return anchor === undefined || found ? [] : `${page}: ${path}#${anchor}`
    }),
  )
  expect(broken).toEqual([])
})

test('every page of docs/ is in its index', () => {
  const index = read('docs/README.md')
  for (const page of globSync('*.md', { cwd: join(root, 'docs') }))
    if (page !== 'README.md') expect(index).toContain(`](${page})`)
})

test('every line of prose has at most 100 characters', () => {
  const long = pages.flatMap((page) =>
    withoutCode(read(page))
      .split('\n')
      .filter((line) => line.length > 100 && !line.startsWith('|'))
      .map((line) => `${page}: ${line}`),
  )
  expect(long).toEqual([])
})

test('no page has the marks of a merge conflict', () => {
  expect(pages.filter((page) => /^(?:<{7}|>{7})(?: |$)/m.test(read(page)))).toEqual([])
})

test('the configuration page has every setting', () => {
  const rows = [...read('docs/configuration.md').matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, key]) => key)
  expect(new Set(rows)).toEqual(new Set(SETTINGS.map(({ key }) => key)))
})

test('the page about the doctor has every finding, with its severity, advice and repair', () => {
  const rows = [...read('docs/doctor.md').matchAll(/^\| `([a-z_]+)` \| (warning|error|fatal) \| (.+) \|$/gm)]
  const expected = Object.entries(FINDINGS).map(([code, { severity, meaning, advice, fix }]) => [
    code,
    severity,
    [meaning, advice, fix ?? 'nothing'].join(' | '),
  ])
  expect(rows.map(([, ...cells]) => cells)).toEqual(expected)
})

test('the page about the doctor names every check', () => {
  for (const name of CHECKS) expect(read('docs/doctor.md')).toContain(`\`${name}\``)
})

test('the pages name no environment variable that docsearch does not read', () => {
  // The examples of docs/client.md read these themselves.
  const ofExamples = ['DOCSEARCH_URL', 'DOCSEARCH_API_KEY']
  const known = new Set([
    ...ofExamples,
    ...SETTINGS.map(({ key }) => environmentName(key)),
    ...OTHER_VARIABLES,
    'DOCSEARCH_TEST_DATA',
    'DOCSEARCH_TEST_FORMATS',
    'DOCSEARCH_TEST_KILLS',
    'DOCSEARCH_TEST_FAULTS',
  ])
  const named = pages.flatMap((page) => [...read(page).matchAll(/\bDOCSEARCH_[A-Z_]*[A-Z]\b/g)].map(([name]) => name))
  expect(named.filter((name) => !known.has(name))).toEqual([])
})

test('every path in the map of the source code exists', () => {
  const named = [...read('src/README.md').matchAll(/`((?:[a-z-]+\/)+(?:[a-z-]+\.(?:tsx?|bin|md))?)`/g)].map(
    ([, path = '']) => path,
  )
  expect(named.length).toBeGreaterThan(40)
  const parts = ['embed', 'client', 'http', 'parse', 'records', 'contract', 'index', 'index/segments', 'search']
  const inSection = ['', 'src', ...parts.map((part) => `src/${part}`)]
  const missing = named.filter((path) => !inSection.some((folder) => existsSync(join(root, folder, path))))
  expect(missing).toEqual([])
})
