import { glob, readdir, stat } from 'node:fs/promises'
import { basename, join, normalize, resolve, sep } from 'node:path'
import { usage } from '../../exit.ts'

export interface PlannedFile {
  /** Where it lies. */
  file: string
  /** Where it came from, the identity of the document: relative to the folder that was named, or as it was named. Parted by slashes. */
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

/** Why a file that was named or found cannot be sent. */
export type LocalRefusalCode = 'not_there' | 'unreadable' | 'not_a_file' | 'invalid_name'

export interface Plan {
  files: PlannedFile[]
  refused: (Refusal & { code: LocalRefusalCode })[]
  /** Folders left out for lack of --recursive. */
  foldersLeftOut: number
}

/**
 * The files that arguments mean: files, folders (hidden entries left out), and globs the shell has not expanded.
 * Throws a usage error when two different files would become the same document.
 */
export async function planUpload(args: readonly string[], recursive: boolean): Promise<Plan> {
  const plan: Plan = { files: [], refused: [], foldersLeftOut: 0 }
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
  const message = found.code === 'ENOENT' ? 'there is no such file' : found.message
  plan.refused.push({ path: arg, name: basename(arg), code: found.code === 'ENOENT' ? 'not_there' : 'unreadable', message })
}

async function expand(pattern: string): Promise<string[]> {
  const matches: string[] = []
  for await (const match of glob(pattern)) matches.push(match)
  // As in a shell: a star does not mean hidden files.
  const hiddenWanted = /(^|[\\/])\./.test(pattern)
  return matches.filter((match) => hiddenWanted || !match.split(sep).some((part) => part.startsWith('.') && part !== '..')).sort()
}

async function addFolder(plan: Plan, folder: string, inside: string, recursive: boolean): Promise<void> {
  const place = join(folder, inside)
  let entries
  try {
    entries = await readdir(place, { withFileTypes: true })
  } catch (error) {
    plan.refused.push({ path: place, name: basename(place), code: 'unreadable', message: (error as Error).message })
    return
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const path = join(inside, entry.name)
    // A linked folder is not entered: it may lead back up.
    if (entry.isDirectory()) {
      if (recursive) await addFolder(plan, folder, path, recursive)
      else plan.foldersLeftOut++
    } else if (entry.isFile() || (entry.isSymbolicLink() && !(await leadsToFolder(join(folder, path))))) {
      await addFile(plan, join(folder, path), identity(path))
    }
  }
}

async function leadsToFolder(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null) // A link that leads nowhere is reported as a file.
  return found?.isDirectory() ?? false
}

async function addFile(plan: Plan, file: string, path: string): Promise<void> {
  const name = basename(file)
  if (/\p{Cc}/u.test(path)) {
    const message = 'its name has control characters, such as a line break; rename it'
    plan.refused.push({ path, name, code: 'invalid_name', message })
    return
  }
  try {
    const found = await stat(file)
    if (found.isFile()) plan.files.push({ file, path, name, size: found.size })
    else plan.refused.push({ path, name, code: 'not_a_file', message: 'it is not a regular file' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isGone = code === 'ENOENT'
    plan.refused.push({ path, name, code: 'unreadable', message: isGone ? 'it is a link that leads nowhere' : message })
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
      `These would become the same document, one over the other: ${shown}. Upload them one after the other into projects of their own, or name the folder above them with --recursive.`,
    )
  }
  return [...byPath.values()]
}
