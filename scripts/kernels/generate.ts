import { readFileSync } from 'node:fs'
import wabt from 'wabt'

const FOLDER = new URL('../../src/index/segments/vectors/', import.meta.url)

/** The modules of WebAssembly text, and the constants with their bytes. */
export const KERNELS = { 'dot-kernel': 'DOT_KERNEL', 'rest-kernel': 'REST_KERNEL', 'sign-kernel': 'SIGN_KERNEL' } as const

export type KernelName = keyof typeof KERNELS

export function bytesFileOf(name: KernelName): URL {
  return new URL(`${name}-bytes.ts`, FOLDER)
}

/** Compiles WebAssembly text to a module of TypeScript. */
export async function generateKernel(name: KernelName): Promise<string> {
  const { parseWat } = await wabt()
  // The types of wabt don't know `multi_memory` yet.
  const features = { simd: true, relaxed_simd: true, threads: true, multi_memory: true }
  const module = parseWat(`${name}.wat`, readFileSync(new URL(`${name}.wat`, FOLDER), 'utf8'), features)
  const { buffer } = module.toBinary({})
  module.destroy()
  return `// Generated from ${name}.wat by \`npm run generate\`.\nexport const ${KERNELS[name]} =\n  '${Buffer.from(buffer).toString('base64')}'\n`
}
