import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './support/sources.ts'

interface Entry {
  version?: string
  resolved?: string
  integrity?: string
  hasInstallScript?: boolean
  link?: boolean
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

/**
 * The packages that the registry did not carry when the lock was made, so that nobody could compute their checksum. All of them are binaries for
 * other platforms. `npm run lock` asks for them again; remove a name here when the registry has it.
 */
const NOT_CARRIED: Record<string, string> = {
  '@lancedb/lancedb-': 'darwin-arm64 linux-arm64-gnu linux-arm64-musl win32-arm64-msvc win32-x64-msvc',
  '@oxc-parser/binding-':
    'android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf linux-ppc64-gnu ' +
    'linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu openharmony-arm64 win32-arm64-msvc win32-ia32-msvc win32-x64-msvc',
  '@oxfmt/binding-':
    'android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf linux-arm64-musl ' +
    'linux-ppc64-gnu linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu linux-x64-musl openharmony-arm64 win32-arm64-msvc ' +
    'win32-ia32-msvc win32-x64-msvc',
  '@oxlint-tsgolint/': 'darwin-arm64 darwin-x64 win32-arm64 win32-x64',
  '@oxlint/binding-':
    'android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf linux-arm64-musl ' +
    'linux-ppc64-gnu linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu linux-x64-musl openharmony-arm64 win32-arm64-msvc ' +
    'win32-ia32-msvc win32-x64-msvc',
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

  test('has a checksum for every package but those that the registry does not carry', () => {
    // Packages in folders of this repository have no checksum, and neither do links to them.
    const fetched = Object.entries(packages).filter(([location, { link }]) => location.includes('node_modules/') && !link)
    const without = fetched.filter(([, { integrity }]) => integrity === undefined)
    const known = Object.entries(NOT_CARRIED).flatMap(([family, platforms]) => platforms.split(' ').map((one) => family + one))
    expect(without.map(([location]) => location.replace('node_modules/', '')).toSorted()).toEqual(known.toSorted())
    // `npm ci` skips each of them on the platforms that the lock was checked on.
    for (const [location, entry] of without)
      expect({ ...entry, location }).toMatchObject({ optional: true, os: [expect.any(String)] })
    const weak = Object.entries(packages).filter(
      ([, { integrity }]) => integrity !== undefined && !integrity.startsWith('sha512-'),
    )
    expect(weak.map(([location]) => location)).toEqual([])
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
