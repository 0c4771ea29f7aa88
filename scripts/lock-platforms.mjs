// `npm run lock` calls this script with `--before` and again after `npm install`.
// Before: forgets the fetched packages without `integrity`, so that npm asks the registry for them again.
// After: completes package-lock.json with every optional platform package that a manifest names and the lock lacks.
// A registry mirror often carries the binaries of one platform only. npm then writes a lock without the others, `npm ci` refuses
// that lock ("Missing: @lancedb/lancedb-darwin-arm64@ from lock file"), and a Mac could not use it. An entry without `integrity`
// lets such a machine resolve its own binary. npm keeps these entries; test/lock.test.ts holds them to the manifests.
import { readFileSync, writeFileSync } from 'node:fs'

const lockFile = new URL('../package-lock.json', import.meta.url)
const SUFFIX =
  /[-/](?<os>android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-(?<cpu>arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|wasm32|x64)(?:-(?<abi>[a-z]+))?$/
const LIBC = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' }

/** Returns what `require(name)` finds from a package at `location`. */
function resolve(location, name) {
  for (let at = location; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = packages[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`]
    if (found || at === '') return found
  }
}

function write() {
  writeFileSync(lockFile, JSON.stringify(lock, null, 2) + '\n')
}

const lock = JSON.parse(readFileSync(lockFile, 'utf8'))
const packages = lock.packages
if (process.argv.includes('--before')) {
  for (const [location, { integrity, link }] of Object.entries(packages))
    if (location.includes('node_modules/') && !link && integrity === undefined) delete packages[location]
  write()
  process.exit(0)
}
const added = []
for (const [location, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const platform = SUFFIX.exec(name)?.groups
    const found = resolve(location, name)
    // npm resolves ranges and packages that are not for a platform. A platform package must have its parent's version.
    if (found && (!platform || !/^\d/.test(version) || found.version === version)) continue
    if (platform === undefined)
      throw new Error(`${location} wants ${name}, which is not in the lock and names no platform: run npm install`)
    const { os, cpu, abi } = platform
    // At the top, or under the package that needs it if the top has another version.
    packages[packages[`node_modules/${name}`] ? `${location}/node_modules/${name}` : `node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(entry.dev ? { dev: true } : {}),
      ...(os === 'linux' && abi in LIBC ? { libc: [LIBC[abi]] } : {}),
      optional: true,
      os: [os],
    }
    added.push(name)
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')))
write()
console.log(added.length === 0 ? 'The lock names every platform package.' : `Added to the lock: ${added.join(', ')}`)
