import { glob, readdir, stat } from 'node:fs/promises'
import { basename, join, normalize, resolve, sep } from 'node:path'
import { reasonOf } from '../../../client/file-error.ts'
import { usage } from '../../exit.ts'
import { documentPath, folderName } from './paths.ts'
import { isExcluded } from './selection.ts'
import type { Selection } from './selection.ts'

export interface PlannedFile {
  /** The file to read. */
  file: string
  /** Identity of the document: the file's name, or its path from the named folder on. Always with slashes. */
  path: string
  /** The path that version 0.1.0 gave the document: without the folder's name, or as the user wrote it. */
  earlierPath: string
  name: string
  size: number
}

export interface Refusal {
  path: string
  name: string
  code: string
  message: string
}

/** Why a file that was named or found can't be uploaded. */
export type LocalRefusalCode = 'not_there' | 'unreadable' | 'not_a_file' | 'invalid_name'

export interface Plan {
  files: PlannedFile[]
  /** Files that were named or found but can't be uploaded. */
  refused: (Refusal & { code: LocalRefusalCode })[]
  /** Subfolders skipped without --recursive. */
  skippedFolders: number
  /** Files and folders that match --exclude. */
  excluded: number
  /** Paths of files larger than --max-size. */
  tooLarge: string[]
}

/** A folder that the user named. */
interface Root {
  folder: string
  /** The name that its documents' paths start with. */
  name: string
}

/**
 * Finds the files that the arguments name: files, folders (without hidden entries), and globs that the shell has not expanded.
 * Throws a usage error when two files would get the same path.
 */
export async function planUpload(args: readonly string[], selection: Selection): Promise<Plan> {
  const plan: Plan = { files: [], refused: [], skippedFolders: 0, excluded: 0, tooLarge: [] }
  for (const arg of args) await addArgument(plan, arg, selection)
  plan.files = unique(plan.files)
  return plan
}

async function addArgument(plan: Plan, arg: string, selection: Selection): Promise<void> {
  const found = await stat(arg).catch((error: NodeJS.ErrnoException) => error)
  if (!(found instanceof Error)) {
    if (found.isDirectory()) return addFolder(plan, { folder: arg, name: await folderName(arg) }, '', selection)
    return addFile(plan, arg, { path: basename(arg), earlierPath: documentPath('', normalize(arg)) }, selection)
  }
  const matches = found.code === 'ENOENT' && /[*?[{]/.test(arg) ? await expand(arg) : []
  for (const match of matches) await addArgument(plan, match, selection)
  if (matches.length > 0) return
  const message = found.code === 'ENOENT' ? 'no such file or folder' : reasonOf(found)
  plan.refused.push({ path: arg, name: basename(arg), code: found.code === 'ENOENT' ? 'not_there' : 'unreadable', message })
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

async function addFolder(plan: Plan, root: Root, below: string, selection: Selection): Promise<void> {
  const place = join(root.folder, below)
  let entries
  try {
    entries = await readdir(place, { withFileTypes: true })
  } catch (error) {
    plan.refused.push({ path: place, name: basename(place), code: 'unreadable', message: reasonOf(error) })
    return
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const inner = join(below, entry.name)
    const path = documentPath(root.name, inner)
    // Linked folders are not followed, because they may lead back up.
    if (entry.isDirectory()) {
      if (isExcluded(path, true, selection.exclude)) plan.excluded++
      else if (selection.recursive) await addFolder(plan, root, inner, selection)
      else plan.skippedFolders++
    } else if (entry.isFile() || (entry.isSymbolicLink() && !(await pointsToFolder(join(place, entry.name))))) {
      await addFile(plan, join(place, entry.name), { path, earlierPath: documentPath('', inner) }, selection)
    }
  }
}

async function pointsToFolder(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null) // addFile reports a broken link.
  return found?.isDirectory() ?? false
}

async function addFile(
  plan: Plan,
  file: string,
  { path, earlierPath }: Pick<PlannedFile, 'path' | 'earlierPath'>,
  { exclude, maxSize = Infinity }: Selection,
): Promise<void> {
  const name = basename(file)
  if (isExcluded(path, false, exclude)) {
    plan.excluded++
    return
  }
  if (/\p{Cc}/u.test(path)) {
    const message = 'the name contains control characters, such as a line break; rename it'
    plan.refused.push({ path, name, code: 'invalid_name', message })
    return
  }
  try {
    const found = await stat(file)
    if (!found.isFile()) plan.refused.push({ path, name, code: 'not_a_file', message: 'not a regular file' })
    else if (found.size > maxSize) plan.tooLarge.push(path)
    else plan.files.push({ file, path, earlierPath, name, size: found.size })
  } catch (error) {
    const failure = error as NodeJS.ErrnoException
    const message = failure.code === 'ENOENT' ? 'broken symbolic link' : reasonOf(failure)
    plan.refused.push({ path, name, code: 'unreadable', message })
  }
}

/** Leaves out files that are named again. Throws a usage error when two files have the same path. */
function unique(files: readonly PlannedFile[]): PlannedFile[] {
  const byFile = new Map<string, PlannedFile>()
  for (const file of files) {
    const place = resolve(file.file)
    if (!byFile.has(place)) byFile.set(place, file)
  }
  const kept = [...byFile.values()]
  refuseSamePaths(kept.map(({ file, path }) => ({ from: file, path })))
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
      'Upload the folders that contain them, whose names are part of the paths, or upload the files to different projects.',
  )
}
