import { glob, readdir, stat } from 'node:fs/promises'
import { basename, join, normalize, resolve, sep } from 'node:path'
import { reasonOf } from '../../../client/file-error.ts'
import { usage } from '../../exit.ts'

export interface PlannedFile {
  /** The file to read. */
  file: string
  /** Identity of the document: the path below the named folder, or the named path. Always with slashes. */
  path: string
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
}

/**
 * Finds the files that the arguments name: files, folders (without hidden entries), and globs that the shell has not expanded.
 * Throws a usage error when two different files would become the same document.
 */
export async function planUpload(args: readonly string[], recursive: boolean): Promise<Plan> {
  const plan: Plan = { files: [], refused: [], skippedFolders: 0 }
  for (const arg of args) await addArgument(plan, arg, recursive)
  plan.files = unique(plan.files)
  return plan
}

async function addArgument(plan: Plan, arg: string, recursive: boolean): Promise<void> {
  const found = await stat(arg).catch((error: NodeJS.ErrnoException) => error)
  if (!(found instanceof Error)) {
    if (found.isDirectory()) return addFolder(plan, arg, '', recursive)
    return addFile(plan, arg, identity(arg))
  }
  const matches = found.code === 'ENOENT' && /[*?[{]/.test(arg) ? await expand(arg) : []
  for (const match of matches) await addArgument(plan, match, recursive)
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

async function addFolder(plan: Plan, folder: string, below: string, recursive: boolean): Promise<void> {
  const place = join(folder, below)
  let entries
  try {
    entries = await readdir(place, { withFileTypes: true })
  } catch (error) {
    plan.refused.push({
      path: place,
      name: basename(place),
      code: 'unreadable',
      message: reasonOf(error),
    })
    return
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const path = join(below, entry.name)
    // Linked folders are not followed, because they may lead back up.
    if (entry.isDirectory()) {
      if (recursive) await addFolder(plan, folder, path, recursive)
      else plan.skippedFolders++
    } else if (entry.isFile() || (entry.isSymbolicLink() && !(await pointsToFolder(join(folder, path))))) {
      await addFile(plan, join(folder, path), identity(path))
    }
  }
}

async function pointsToFolder(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null) // addFile reports a broken link.
  return found?.isDirectory() ?? false
}

async function addFile(plan: Plan, file: string, path: string): Promise<void> {
  const name = basename(file)
  if (/\p{Cc}/u.test(path)) {
    const message = 'the name contains control characters, such as a line break; rename the file'
    plan.refused.push({ path, name, code: 'invalid_name', message })
    return
  }
  try {
    const found = await stat(file)
    if (found.isFile()) plan.files.push({ file, path, name, size: found.size })
    else plan.refused.push({ path, name, code: 'not_a_file', message: 'not a regular file' })
  } catch (error) {
    const failure = error as NodeJS.ErrnoException
    const message = failure.code === 'ENOENT' ? 'broken symbolic link' : reasonOf(failure)
    plan.refused.push({ path, name, code: 'unreadable', message })
  }
}

function identity(path: string): string {
  return normalize(path).split(sep).join('/')
}

function unique(files: readonly PlannedFile[]): PlannedFile[] {
  const byPath = new Map<string, PlannedFile>()
  const clashes: string[] = []
  for (const file of files) {
    const other = byPath.get(file.path)
    if (other === undefined) byPath.set(file.path, file)
    else if (resolve(other.file) !== resolve(file.file)) clashes.push(`${other.file} and ${file.file}`)
  }
  if (clashes.length > 0) {
    const shown = clashes.slice(0, 5).join('; ') + (clashes.length > 5 ? `; and ${clashes.length - 5} more` : '')
    throw usage(
      `Different files would become the same document: ${shown}. Upload them to different projects, or upload the folder that contains them with --recursive.`,
    )
  }
  return [...byPath.values()]
}
