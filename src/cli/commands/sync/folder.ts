import { realpath, stat } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import { usage } from '../../exit.ts'
import { refuseSamePaths } from '../../files/find.ts'
import { nothingFound, type Found, type Refusal } from '../../files/found.ts'
import { HashCache } from '../../files/hash-cache.ts'
import { hashFiles, type HashedFile } from '../../files/hash.ts'
import { folderName } from '../../files/paths.ts'
import { isExcluded, type Selection } from '../../files/selection.ts'
import { withoutUnreadable } from '../../files/unreadable.ts'
import { walkFolder } from '../../files/walk.ts'

/** What a folder has. */
export interface LocalFolder {
  /** The name that the paths of its documents start with. */
  name: string
  files: HashedFile[]
  /** What could not be read. */
  refused: Refusal[]
  /** Files without text. */
  skipped: Refusal[]
  found: Found
  /** Returns true if the document of this path stays even without a file. */
  isKept(path: string): boolean
}

/** A file that changed so recently is perhaps still being written. */
const WRITING_MS = 1000

/**
 * Reads a folder. With `waitsForWriters`, leaves out files that are perhaps still being written and says so in `isUnsettled`. Throws a
 * usage error if there is no such folder.
 */
export async function readFolder(
  context: Context,
  folder: string,
  selection: Selection,
  { waitsForWriters }: { waitsForWriters: boolean },
): Promise<LocalFolder & { isUnsettled: boolean }> {
  const name = await nameOfFolder(folder)
  const found = nothingFound()
  await walkFolder(found, folder, name, selection)
  refuseSamePaths(found.files.map(({ file, path }) => ({ from: String(file), path })))
  const { readable, skipped } = withoutUnreadable(found.files)
  const youngest = Date.now() - WRITING_MS
  const settled = waitsForWriters ? readable.filter(({ stats }) => (stats?.mtimeMs ?? 0) < youngest) : readable
  const cache = await HashCache.open(context.io.env, await realpath(folder))
  const { files, refused: unreadable } = await hashFiles(context, settled, cache)
  await cache.save()
  const refused = [...found.refused, ...unreadable]
  const taken = new Set(files.map(({ path }) => path))
  const present = [
    ...[...refused, ...skipped, ...readable].map(({ path }) => path).filter((path) => !taken.has(path)),
    ...found.skipped.tooLarge,
    ...found.skipped.links,
    ...found.skipped.caches,
  ]
  const isKept = keeper(name, found, present, selection)
  return { name, files, refused, skipped, found, isKept, isUnsettled: settled.length < readable.length }
}

async function nameOfFolder(folder: string): Promise<string> {
  const stats = await stat(folder).catch((error: NodeJS.ErrnoException) => error)
  if (stats instanceof Error && stats.code !== 'ENOENT') throw usage(`${folder} cannot be read: ${stats.message}`)
  if (stats instanceof Error) throw usage(`${folder}: no such folder`)
  if (!stats.isDirectory()) throw usage(`${folder} is not a folder. To upload files, use \`docsearch upload\`.`)
  const name = await folderName(folder)
  if (name === '')
    throw usage(`${folder} has no name, and the paths of the documents start with the name of the folder. Name a folder in it.`)
  return name
}

/** `present` has the paths of files that were left out, and of folders that were not looked into. */
function keeper(name: string, { rules }: Found, present: readonly string[], { exclude }: Selection): (path: string) => boolean {
  const leftOut = new Set(present)
  return (path) => {
    if (!path.startsWith(`${name}/`)) return false
    const parts = path.split('/')
    for (let i = 1; i <= parts.length; i++) {
      const upTo = parts.slice(0, i).join('/')
      if (leftOut.has(upTo) || isExcluded(upTo, i < parts.length, exclude)) return true
    }
    for (let i = parts.length - 1; i > 0; i--) {
      const nearest = rules.get(parts.slice(1, i).join('/'))
      if (nearest !== undefined) return nearest.skips(parts.slice(1).join('/'))
    }
    return false
  }
}
