// `npm run generate`: writes completions/ from the command tree, and the dot product of vectors from its WebAssembly text. Tests fail when
// they are out of date.
import { writeFileSync } from 'node:fs'
import { generateCompletions } from './completions/generate.ts'
import { generateDotKernel } from './kernels/generate.ts'

const folder = new URL('../completions/', import.meta.url)
for (const [name, text] of Object.entries(await generateCompletions())) writeFileSync(new URL(name, folder), text)

const kernel = new URL('../src/index/segments/vectors/dot-kernel-bytes.ts', import.meta.url)
writeFileSync(kernel, await generateDotKernel())
