// Writes completions/ from the command tree. `npm run generate`; a test finds them stale.
import { writeFileSync } from 'node:fs'
import { generateCompletions } from './completions/generate.ts'

const folder = new URL('../completions/', import.meta.url)
for (const [name, text] of Object.entries(generateCompletions())) writeFileSync(new URL(name, folder), text)
