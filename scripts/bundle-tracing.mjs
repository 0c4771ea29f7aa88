// Bundles OpenTelemetry's packages into dist/telemetry/otel.js, which the daemon loads only when tracing is on.
// As dependencies, they would add 18 MB to every installation, most of it constants and source maps, for a feature that few use.
import { cpSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** The daemon has these already. */
const EXTERNAL = ['@opentelemetry/api']

export async function bundleTracing(root) {
  const folder = join(root, 'dist', 'telemetry')
  const input = join(folder, 'otel.js')
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: (id) => EXTERNAL.includes(id) || id.startsWith('node:') || id.startsWith('../core/'),
  })
  const { output } = await bundle.write({
    file: join(folder, 'otel.bundle.js'),
    format: 'esm',
    minify: { compress: true, mangle: false },
  })
  await bundle.close()
  renameSync(join(folder, 'otel.bundle.js'), input)
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
    cpSync(join(folder, licence), join(target, `${name.replace('/', '-').replace('@', '')}.txt`))
  }
}
