import { readFileSync } from 'node:fs'
import wabt from 'wabt'

const SOURCE = new URL('../../src/index/segments/vectors/dot-kernel.wat', import.meta.url)

/** Compiles the WebAssembly text of the dot product to a module of TypeScript. */
export async function generateDotKernel(): Promise<string> {
  const { parseWat } = await wabt()
  // The types of wabt don't know `multi_memory` yet.
  const features = { simd: true, threads: true, multi_memory: true }
  const module = parseWat('dot-kernel.wat', readFileSync(SOURCE, 'utf8'), features)
  const { buffer } = module.toBinary({})
  module.destroy()
  return `// Generated from dot-kernel.wat by \`npm run generate\`.\nexport const DOT_KERNEL =\n  '${Buffer.from(buffer).toString('base64')}'\n`
}
