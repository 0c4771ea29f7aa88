import { glob, stat } from 'node:fs/promises'
import { basename, normalize, resolve, sep } from 'node:path'
import { reasonOf } from '../../client/errors.ts'
import { usage } from '../exit.ts'
import { keyOf, textOfName, documentPath, folderName } from './paths.ts'
import { nothingFound, type FoundFiles, type FoundFile, type Selection } from './found.ts'
import { addFile, walkFolder } from './walk.ts'

/**
 * Finds the files that the arguments name: files, folders, and globs that the shell has not expanded. Throws a usage error when two files
 * would get the same path.
 */
export async function findFiles(args: readonly string[], selection: Selection): Promise<FoundFiles> {
  const found = nothingFound()
  for (const arg of args) await addArgument(found, arg, selection)
  found.files = unique(found.files)
  return found
}

async function addArgument(found: FoundFiles, arg: string, selection: Selection): Promise<void> {
  const stats = await stat(arg).catch((error: NodeJS.ErrnoException) => error)
  if (!(stats instanceof Error)) {
    if (stats.isDirectory()) return walkFolder(found, arg, await folderName(arg), selection)
    const earlierPath = documentPath('', normalize(arg))
    return addFile(found, { file: arg, path: basename(arg), earlierPath, name: basename(arg), isNamed: true }, selection)
  }
  const matches = stats.code === 'ENOENT' && /[*?[{]/.test(arg) ? await expand(arg) : []
  for (const match of matches) await addArgument(found, match, selection)
  if (matches.length > 0) return
  const message = stats.code === 'ENOENT' ? 'no such file or folder' : reasonOf(stats)
  found.refused.push({ path: arg, name: basename(arg), code: stats.code === 'ENOENT' ? 'not_there' : 'unreadable', message })
}

async function expand(pattern: string): Promise<string[]> {
  const matches: string[] = []
  for await (const match of glob(pattern)) matches.push(match)
  // As in a shell, a star does not match hidden files.
  const includesHidden = /(^|[\\/])\./.test(pattern)
  return matches
    .filter((match) => includesHidden || !match.split(sep).some((part) => part.startsWith('.') && part !== '..'))
    .sort()
}

/** Leaves out files that are named again. Throws a usage error when two files have the same path. */
function unique(files: readonly FoundFile[]): FoundFile[] {
  const byFile = new Map<string, FoundFile>()
  for (const file of files) {
    const place = typeof file.file === 'string' ? resolve(file.file) : keyOf(file.file)
    const earlier = byFile.get(place)
    byFile.set(place, earlier === undefined ? file : { ...earlier, isNamed: earlier.isNamed || file.isNamed })
  }
  const kept = [...byFile.values()]
  refuseSamePaths(kept.map(({ file, path }) => ({ from: typeof file === 'string' ? file : textOfName(file), path })))
  return kept
}

/** Throws a usage error that names the sources, such as files, of each path that occurs twice. */
export function refuseSamePaths(sources: readonly { from: string; path: string }[]): void {
  const byPath = new Map<string, string>()
  const clashes: string[] = []
  for (const { from, path } of sources) {
    const other = byPath.get(path)
    if (other === undefined) byPath.set(path, from)
    else clashes.push(`${other} and ${from} (${path})`)
  }
  if (clashes.length === 0) return
  const shown = clashes.slice(0, 5).join('; ') + (clashes.length > 5 ? `; and ${clashes.length - 5} more` : '')
  throw usage(
    `Two files would get the same path, and one would replace the other: ${shown}. Nothing was uploaded. ` +
      'Upload the folders that contain these files, because the name of a folder is part of the path, or upload the files to different projects.',
  )
}
