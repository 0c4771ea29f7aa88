// Bundles a module of dist/ with the packages that it imports, for packages that few installations use and that are loaded only then. As dependencies,
// OpenTelemetry's packages would add 18 MB to every installation, and the AWS SDK 22 MB, most of it constants, types and source maps.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

/** Packages that the daemon already has. */
const EXTERNAL = ['@opentelemetry/api']

/** `path` is the path of the module in dist/. */
export async function bundleModule(root, path) {
  const input = join(root, 'dist', path)
  const [folder, name] = [dirname(input), basename(input, '.js')]
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: (id) => EXTERNAL.includes(id) || id.startsWith('node:') || id.startsWith('../core/'),
  })
  const { output } = await bundle.write({
    file: join(folder, `${name}.bundle.js`),
    format: 'esm',
    codeSplitting: false,
    minify: { compress: true, mangle: false },
  })
  await bundle.close()
  renameSync(join(folder, `${name}.bundle.js`), input)
  copyLicences(root, join(folder, 'licences'), output)
}

/** Copies the licence of each package in the bundle. */
function copyLicences(root, target, output) {
  const names = new Set()
  for (const chunk of output)
    for (const id of chunk.moduleIds ?? []) {
      const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
      if (name !== undefined) names.add(name)
    }
  mkdirSync(target, { recursive: true })
  for (const name of names) {
    const folder = join(root, 'node_modules', name)
    const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
    cpSync(
      licence === undefined ? textOf(root, folder) : join(folder, licence),
      join(target, `${name.replace('/', '-').replace('@', '')}.txt`),
    )
  }
}

/** Some packages of the AWS SDK have no copy of their licence, Apache 2.0. Returns the path of the unchanged text of that licence. */
function textOf(root, folder) {
  const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (license !== 'Apache-2.0') throw new Error(`${name} has no file with its licence, ${license}.`)
  return join(root, 'node_modules', '@opentelemetry', 'api', 'LICENSE')
}
