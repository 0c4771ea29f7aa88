import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './support/sources.ts'

interface Entry {
  version?: string
  resolved?: string
  hasInstallScript?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as unknown
const manifest = read('package.json') as {
  optionalDependencies: Record<string, string>
  devDependencies: Record<string, string>
  allowScripts: Record<string, boolean>
}
const packages = (read('package-lock.json') as { packages: Record<string, Entry> }).packages

/** What `require(name)` finds from a package at `location`, as Node walks up. */
function resolve(location: string, name: string): Entry | undefined {
  for (let at = location; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = packages[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`]
    if (found || at === '') return found
  }
}

describe('the lock file', () => {
  // `npm ci` refuses a lock that lacks one of them, and another system could not install its binary.
  test('names every optional package that any manifest in it names: run `npm run lock`', () => {
    const missing = Object.entries(packages).flatMap(([location, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter((name) => !resolve(location, name))
        .map((name) => `${location === '' ? 'package.json' : location} wants ${name}`),
    )
    expect(missing).toEqual([])
  })

  test("carries each of LanceDB's platform packages, of its version and for its platform", () => {
    const wrapper = read('node_modules/@lancedb/lancedb/package.json') as {
      version: string
      optionalDependencies: Record<string, string>
    }
    const wanted = Object.keys(wrapper.optionalDependencies).filter((name) => name.startsWith('@lancedb/'))
    expect(wanted.length).toBeGreaterThanOrEqual(7)
    for (const name of wanted) {
      const [os = '', cpu = '', abi = ''] = name.replace('@lancedb/lancedb-', '').split('-')
      // The wrapper travels inside the package, so its binaries have to be dependencies of ours.
      expect(manifest.optionalDependencies[name], name).toBe(wrapper.version)
      expect(packages[`node_modules/${name}`], name).toMatchObject({
        version: wrapper.version,
        optional: true,
        os: [os],
        cpu: [cpu],
        ...(os === 'linux' ? { libc: [abi === 'gnu' ? 'glibc' : abi] } : {}),
      })
    }
    expect(manifest.devDependencies['@lancedb/lancedb']).toBe(wrapper.version)
  })

  test('names no address to fetch from, so that every mirror serves it', () => {
    expect(
      Object.entries(packages)
        .filter(([, entry]) => entry.resolved?.includes('://'))
        .map(([location]) => location),
    ).toEqual([])
  })

  test('brings no install script that package.json does not judge', () => {
    const scripted = Object.entries(packages).filter(([, entry]) => entry.hasInstallScript)
    const names = scripted.map(([location]) => location.slice(location.lastIndexOf('node_modules/') + 'node_modules/'.length))
    expect(names.filter((name) => !(name in manifest.allowScripts))).toEqual([])
  })
})
