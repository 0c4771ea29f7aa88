// Writes the type declarations of the client library into dist/: only those that dist/client/library/main.d.ts needs.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ENTRY = 'client/library/main.d.ts'
const RELATIVE_IMPORT = /(from |import\()(['"])(\.[^'"]+)\.ts\2/g

export function writeClientTypes(root, tsc) {
  const all = mkdtempSync(join(tmpdir(), 'docsearch-types-'))
  try {
    const args = [tsc, '-p', join(root, 'tsconfig.client.json'), '--outDir', all]
    const made = spawnSync(process.execPath, args, { stdio: 'inherit' })
    if (made.status !== 0) process.exit(made.status ?? 1)
    const files = new Set([ENTRY])
    for (const file of files) {
      const text = readFileSync(join(all, file), 'utf8')
      for (const [, , , path] of text.matchAll(RELATIVE_IMPORT)) files.add(`${join(dirname(file), path)}.d.ts`)
      const target = join(root, 'dist', file)
      mkdirSync(dirname(target), { recursive: true })
      // TypeScript leaves the ending of an import in a declaration as it is, and other programs' compilers may refuse `.ts`.
      writeFileSync(target, text.replaceAll(RELATIVE_IMPORT, '$1$2$3.js$2'))
    }
  } finally {
    rmSync(all, { recursive: true, force: true })
  }
}
