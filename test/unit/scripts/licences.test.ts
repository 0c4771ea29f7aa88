import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
// @ts-expect-error: a script without types
import { isAllowed, readLicences, shippedPackages } from '../../../scripts/licences.mjs'
import { tempFolder } from '../../support/temp-folder.ts'

interface Shipped {
  path: string
  name: string
  version: string
  license?: string
}

const packagesOf = shippedPackages as (lock: { packages: Record<string, object> }) => Shipped[]
const licencesOf = readLicences as (
  packages: Shipped[],
  folder: string,
) => { entries: { name: string; text: string }[]; faults: string[] }

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-or-later)', true],
  ['(MIT AND Zlib)', true],
  ['GPL-3.0-only', false],
  ['(MIT AND GPL-2.0)', false],
  ['SEE LICENSE IN LICENSE.txt', false],
  ['UNLICENSED', false],
])('%s may be shipped: %s', (expression, expected) => {
  expect((isAllowed as (expression: string) => boolean)(expression)).toBe(expected)
})

test('the shipped packages are those that are not only for development, also nested ones, and what the build copies', () => {
  const packages = {
    '': { name: 'docsearch' },
    'node_modules/a': { version: '1.0.0', license: 'MIT' },
    'node_modules/a/node_modules/@s/b': { version: '2.0.0', license: 'ISC' },
    'node_modules/tool': { version: '3.0.0', license: 'MIT', dev: true },
    'node_modules/@lancedb/lancedb': { version: '0.39.0', license: 'Apache-2.0', dev: true },
  }
  expect(packagesOf({ packages }).map(({ name, version }) => `${name}@${version}`)).toEqual([
    'a@1.0.0',
    '@s/b@2.0.0',
    '@lancedb/lancedb@0.39.0',
  ])
})

test('the text is the licence file of the package; a forbidden or missing licence is a fault', async () => {
  const folder = await tempFolder()
  mkdirSync(join(folder, 'node_modules/good'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/good/LICENSE.md'), 'Copyright (c) Good\n')
  const one = (name: string, license?: string) => ({
    path: `node_modules/${name}`,
    name,
    version: '1.0.0',
    ...(license && { license }),
  })
  const { entries, faults } = licencesOf([one('good', 'MIT'), one('copyleft', 'AGPL-3.0-only'), one('silent')], folder)
  expect(entries.find(({ name }) => name === 'good')?.text).toBe('Copyright (c) Good')
  expect(faults).toEqual(['copyleft 1.0.0 has the licence AGPL-3.0-only', 'silent 1.0.0 names no licence'])
})
