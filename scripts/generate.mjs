// `npm run generate`: writes completions/ from the command tree. A test fails when they are out of date.
import { writeFileSync } from 'node:fs'
import { generateCompletions } from './completions/generate.ts'

const folder = new URL('../completions/', import.meta.url)
for (const [name, text] of Object.entries(await generateCompletions())) writeFileSync(new URL(name, folder), text)
