import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { CommandIo } from '../../context.ts'
import type { FoundFile } from '../../files/found.ts'

/** Copies standard input to a temporary file, so that its length is known and it can be sent again. */
export async function spoolStdin(io: CommandIo, name: string): Promise<{ file: FoundFile; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-stdin-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const file = join(folder, 'input')
    await pipeline(io.stdin, createWriteStream(file, { mode: 0o600 }), { signal: io.signal })
    return {
      file: {
        file,
        path: name,
        earlierPath: name,
        name: name.split('/').at(-1) ?? name,
        size: (await stat(file)).size,
        isNamed: true,
      },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}
