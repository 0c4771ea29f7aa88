// Writes THIRD_PARTY_LICENSES.txt, with the licence of everything that an installation of docsearch contains, and sbom.cdx.json, the same as a
// CycloneDX document. `npm pack` runs it. Fails on a licence that is unknown or that docsearch may not ship.
// With --check, writes nothing.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Licences that allow shipping with an MIT program, and ask for no more than their text. */
const ALLOWED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Zlib',
  'CC0-1.0',
  'BlueOak-1.0.0',
  'Unlicense',
])
/** Packages whose package.json names no licence, or not by its SPDX name. Each was read in the package's LICENSE file. */
const READ = { 'json-bignum': 'MIT', duck: 'BSD-2-Clause' }
/** Packages in devDependencies of which the build copies a part into dist/. */
const COPIED = ['@lancedb/lancedb']
/** Where the text of a licence is, for packages without a licence file. */
const TEXTS = { 'Apache-2.0': 'node_modules/@opentelemetry/api/LICENSE' }

/** Returns the packages that an installation on any system can contain, as package-lock.json has them. */
export function shippedPackages(lock) {
  return Object.entries(lock.packages).flatMap(([path, entry]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    if (path === '' || entry.link || (entry.dev && !(COPIED.includes(name) && path === `node_modules/${name}`))) return []
    return [{ path, name, version: entry.version, license: entry.license }]
  })
}

/** Returns whether an SPDX expression can be met with licences that are allowed. */
export function isAllowed(expression) {
  const terms = expression.replace(/^\(|\)$/g, '')
  if (terms.includes(' AND ')) return terms.split(' AND ').every(isAllowed)
  return terms.split(' OR ').some((term) => ALLOWED.has(term))
}

/** Returns licence and text of each package, and what is wrong with some. */
export function readLicences(packages, folder = root) {
  const faults = []
  const entries = packages.map(({ path, name, version, license }) => {
    // The licence of a platform package for another system: all of them are builds of the same source.
    const own = license ?? READ[name] ?? (name.startsWith('@lancedb/lancedb-') ? 'Apache-2.0' : undefined)
    const expression = READ[name] ?? own
    if (expression === undefined) faults.push(`${name} ${version} names no licence`)
    else if (!isAllowed(expression)) faults.push(`${name} ${version} has the licence ${expression}`)
    return { name, version, expression, text: textOf(join(folder, path), expression, folder) }
  })
  return {
    entries: entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1)),
    faults,
  }
}

function textOf(folder, expression, base) {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name)) : []
  if (files.length > 0) return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n')
  const known = TEXTS[expression]
  if (known !== undefined) return readFileSync(join(base, known), 'utf8').trim()
  const readme = existsSync(folder) ? readdirSync(folder).find((name) => /^readme/i.test(name)) : undefined
  const section = readme && /^#+ *licen[cs]e\b.*$[^]*/im.exec(readFileSync(join(folder, readme), 'utf8'))?.[0].trim()
  return `The package contains no file with its licence, ${expression}.${section ? `\nIts README says:\n\n${section}` : ''}`
}

export function licencesText(entries) {
  const head = `docsearch is under the MIT licence, see LICENSE. An installation also contains ${entries.length} packages under these licences.
Not every system needs all of them. dist/node_modules/@lancedb/lancedb/NODEJS_THIRD_PARTY_LICENSES.md lists what LanceDB contains.`
  const parts = entries.map(({ name, version, expression, text }) => `${name} ${version}\nLicence: ${expression}\n\n${text}`)
  const line = '-'.repeat(80)
  return [head, ...parts].join(`\n\n${line}\n\n`) + '\n'
}

/** Returns npm's CycloneDX document of the shipped packages, without what changes from run to run. */
function sbom(packages) {
  // With --omit dev, npm would also leave out what both docsearch and its tools need.
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64e6 })
  if (status !== 0) throw new Error(`npm sbom ended with ${status}\n${stderr}`)
  const document = JSON.parse(stdout)
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  Object.assign(document.metadata.component, { name, type: 'application' })
  delete document.serialNumber
  delete document.metadata.timestamp
  const shipped = new Set(packages.map((one) => `${one.name}@${one.version}`))
  document.components = document.components.filter((one) => shipped.has(`${one.name}@${one.version}`))
  const references = new Set([document.metadata.component['bom-ref'], ...document.components.map((one) => one['bom-ref'])])
  document.dependencies = document.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => references.has(other)) }))
  const missing = [...shipped].filter((one) => !document.components.some(({ name, version }) => `${name}@${version}` === one))
  if (missing.length > 0) throw new Error(`npm sbom lacks ${missing.join(', ')}`)
  return `${JSON.stringify(document, null, 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const packages = shippedPackages(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
  const { entries, faults } = readLicences(packages)
  for (const fault of faults) console.error(`licences: ${fault}, which docsearch may not ship`)
  if (faults.length > 0) process.exit(1)
  if (!process.argv.includes('--check')) {
    writeFileSync(join(root, 'THIRD_PARTY_LICENSES.txt'), licencesText(entries))
    writeFileSync(join(root, 'sbom.cdx.json'), sbom(packages))
    // npm pack --json prints its result to standard output.
    console.error(`Wrote THIRD_PARTY_LICENSES.txt and sbom.cdx.json: ${entries.length} packages.`)
  }
}
