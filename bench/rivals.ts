import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { timed } from './measure.ts'

/** Returns the milliseconds in which PDFium alone reads all files, with `workers` warm processes. */
export async function barePdfium(workers: number, files: readonly string[]): Promise<number> {
  const main = new URL('bare-pdfium.ts', import.meta.url)
  const children = Array.from({ length: workers }, () => fork(main))
  const read = async (child: (typeof children)[number], file: string): Promise<void> => {
    const answer = once(child, 'message')
    child.send(file)
    await answer
  }
  try {
    await Promise.all(children.map((child) => read(child, files[0]!)))
    let next = 0
    const { ms } = await timed(() =>
      Promise.all(
        children.map(async (child) => {
          while (next < files.length) await read(child, files[next++]!)
        }),
      ),
    )
    return ms
  } finally {
    for (const child of children) child.kill()
  }
}

/**
 * Returns the milliseconds in which Debian's recollindex (pdftotext and Xapian, on as many threads as it chooses) indexes a folder;
 * null if it is not installed.
 */
export async function recoll(folder: string): Promise<number | null> {
  const configuration = mkdtempSync(join(tmpdir(), 'docsearch-bench-recoll-'))
  // Without a spelling dictionary, because recollindex would look for one in the machine's language.
  writeFileSync(join(configuration, 'recoll.conf'), `topdirs = ${folder}\nnoaspell = 1\nloglevel = 1\n`)
  try {
    const { ms } = await timed(() => promisify(execFile)('recollindex', ['-c', configuration, '-z']))
    return ms
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  } finally {
    rmSync(configuration, { recursive: true, force: true })
  }
}
