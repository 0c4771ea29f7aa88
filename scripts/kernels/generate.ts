import { readFileSync } from 'node:fs'
import wabt from 'wabt'

const FOLDER = new URL('../../src/index/segments/vectors/', import.meta.url)

/** The modules of WebAssembly text, and the constants with their bytes. */
const KERNELS = { 'dot-kernel': 'DOT_KERNEL', 'rest-kernel': 'REST_KERNEL', 'sign-kernel': 'SIGN_KERNEL' } as const

/** The module of TypeScript with the bytes of all kernels. */
export const KERNEL_BYTES = new URL('kernel-bytes.ts', FOLDER)

/** Compiles the WebAssembly text of all kernels to one module of TypeScript. */
export async function generateKernels(): Promise<string> {
  const { parseWat } = await wabt()
  // The types of wabt don't know `multi_memory` yet.
  const features = { simd: true, relaxed_simd: true, threads: true, multi_memory: true }
  const constants = Object.entries(KERNELS).map(([name, constant]) => {
    const module = parseWat(`${name}.wat`, readFileSync(new URL(`${name}.wat`, FOLDER), 'utf8'), features)
    const { buffer } = module.toBinary({})
    module.destroy()
    return `export const ${constant} =\n  '${Buffer.from(buffer).toString('base64')}'\n`
  })
  return `// Generated from the .wat files in this folder by \`npm run generate\`.\n${constants.join('')}`
}
