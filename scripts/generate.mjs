// `npm run generate`: writes completions/ and the manual page from the command tree, and the kernels of vector search from their WebAssembly text. Tests fail when
// they are out of date.
import { writeFileSync } from 'node:fs'
import { generateCompletions } from './completions/generate.ts'
import { generateManualPage } from './man/generate.ts'
import { generateKernels, KERNEL_BYTES } from './kernels/generate.ts'

const folder = new URL('../completions/', import.meta.url)
for (const [name, text] of Object.entries(await generateCompletions())) writeFileSync(new URL(name, folder), text)

writeFileSync(new URL('../man/docsearch.1', import.meta.url), await generateManualPage())

writeFileSync(KERNEL_BYTES, await generateKernels())
