// `npm run generate`: writes completions/ and the manual page from the command tree, and the kernels of vector search from their WebAssembly text. Tests fail when
// they are out of date.
import { writeFileSync } from 'node:fs'
import { generateCompletions } from './completions/generate.ts'
import { generateManualPage } from './man/generate.ts'
import { bytesFileOf, generateKernel, KERNELS } from './kernels/generate.ts'

const folder = new URL('../completions/', import.meta.url)
for (const [name, text] of Object.entries(await generateCompletions())) writeFileSync(new URL(name, folder), text)

writeFileSync(new URL('../man/docsearch.1', import.meta.url), await generateManualPage())

for (const name of Object.keys(KERNELS)) writeFileSync(bytesFileOf(name), await generateKernel(name))
