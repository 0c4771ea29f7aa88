import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A copy of the built package, in a temporary folder. */
export interface CopiedPackage extends AsyncDisposable {
  bin: string
  /** Replaces a part of a file of the package. Throws when the file does not have that part. */
  change(file: string, what: RegExp, by: (found: string) => string): Promise<void>
}

export async function copyPackage(): Promise<CopiedPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-copy-'))
  for (const name of ['bin', 'dist', 'package.json']) await cp(join(ROOT, name), join(folder, name), { recursive: true })
  for (const name of ['node_modules', 'models']) await symlink(join(ROOT, name), join(folder, name))
  return {
    bin: join(folder, 'bin/docsearch.js'),
    async change(file, what, by) {
      const text = await readFile(join(folder, file), 'utf8')
      if (!what.test(text)) throw new Error(`${file} has no ${what}`)
      await writeFile(join(folder, file), text.replace(what, by))
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
