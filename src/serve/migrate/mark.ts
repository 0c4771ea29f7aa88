import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { DocsearchError } from '../../core/errors.ts'
import { syncFile, syncFolder } from '../../core/sync.ts'

const FILE = 'migration.json'

const mark = z.object({
  /**
   * `leaving`: documents are being copied from this folder, which still is the instance. `left`: the instance is at the place. `arriving`: documents
   * are being copied to this folder, which is not complete.
   */
  state: z.enum(['leaving', 'left', 'arriving']),
  /** The database and the object store, as the user knows them. */
  place: z.string(),
  at: z.iso.datetime(),
})

/** Says that `docsearch migrate` has moved, or is moving, the documents of a data folder. */
export type Mark = z.infer<typeof mark>

/** Returns null for a folder whose documents nobody has moved. Throws `data_unusable` for a damaged mark. */
export async function readMark(dir: string): Promise<Mark | null> {
  try {
    return mark.parse(JSON.parse(await readFile(join(dir, FILE), 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new DocsearchError(
      'data_unusable',
      `${join(dir, FILE)} is damaged, so docsearch does not know where the documents are. If they were moved to a database and an object store, start the instance there. If they were not, delete the file.`,
      {
        cause: error,
      },
    )
  }
}

/** Replaces the mark. It survives a power cut once this resolves. Null removes it. */
export async function writeMark(dir: string, value: Mark | null): Promise<void> {
  const file = join(dir, FILE)
  if (value === null) await rm(file, { force: true })
  else {
    await writeFile(`${file}.new`, `${JSON.stringify(value)}\n`, { mode: 0o600 })
    await syncFile(`${file}.new`)
    await rename(`${file}.new`, file)
  }
  await syncFolder(dir)
}

/** Throws `data_unusable` for a folder whose documents were moved away, or have not all arrived. */
export async function refuseMoved(dir: string): Promise<void> {
  const found = await readMark(dir)
  if (found === null || found.state === 'leaving') return
  const { state, place, at } = found
  throw new DocsearchError(
    'data_unusable',
    state === 'left'
      ? `The documents of ${dir} were moved to ${place} on ${at.slice(0, 10)}. Start the instance there, with --database and --store. docs/scale.md says how to move them back.`
      : `${dir} is not complete, because \`docsearch migrate\` was interrupted. It moves documents here from ${place}. Run it again with --to ${dir}.`,
  )
}
