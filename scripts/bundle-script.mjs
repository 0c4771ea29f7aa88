// Bundles the script of the views from dist/pages/script into one small file, which src/pages/assets.ts reads.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

export async function bundleScript(root) {
  const folder = join(root, 'dist', 'pages', 'script')
  const input = join(folder, 'main.js')
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  if (output.length !== 1) throw new Error(`The script has ${output.length} files, but the views load only one.`)
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  writeFileSync(input, output[0].code)
}
