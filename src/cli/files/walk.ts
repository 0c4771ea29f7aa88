import type { Dirent } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { basename, sep } from 'node:path'
import { reasonOf } from '../../client/errors.ts'
import { inside, textOfName, type FilePath, documentPath } from './paths.ts'
import { type FoundFiles, type FoundFile, isExcluded, type Selection } from './found.ts'
import { IgnoreRules } from './ignore-rules.ts'

/** An entry of a folder. */
interface Entry {
  name: FilePath
  text: string
  dirent: Dirent<string> | Dirent<Buffer>
}

const CACHE_TAG = 'CACHEDIR.TAG'
const CACHE_SIGNATURE = 'Signature: 8a477f597d28d172789f06886806bc55'

/**
 * Adds the files in a folder that the user named. `name` is what the paths of its documents start with. Skips what ignore rules, the
 * selection and tags of caches leave out.
 */
export async function walkFolder(found: FoundFiles, folder: string, name: string, selection: Selection): Promise<void> {
  await new FolderWalk(found, folder, name, await realpath(folder), selection).run()
}

class FolderWalk {
  readonly #found: FoundFiles
  readonly #folder: string
  /** The name that the paths of its documents start with. */
  readonly #name: string
  readonly #realFolder: string
  readonly #selection: Selection
  /** Linked folders outside that were looked into, so that links in circles end. */
  readonly #visited = new Set<string>()

  constructor(found: FoundFiles, folder: string, name: string, realFolder: string, selection: Selection) {
    this.#found = found
    this.#folder = folder
    this.#name = name
    this.#realFolder = realFolder
    this.#selection = selection
  }

  async run(): Promise<void> {
    await this.#look(this.#folder, '', await IgnoreRules.above(this.#folder, this.#selection))
  }

  /** `below` is the path of the folder in the named one, with slashes; empty for the named one itself. */
  async #look(folder: FilePath, below: string, outer: IgnoreRules): Promise<void> {
    const { refused, rules: rulesOf } = this.#found
    let entries
    let rules
    try {
      entries = await entriesOf(folder)
      rules = await outer.in(folder, below, new Set(entries.map(({ text }) => text)))
      if (below !== '' && (await isCache(folder, entries))) return void this.#found.skipped.caches.push(this.#pathOf(below))
    } catch (error) {
      const path = below === '' ? String(folder) : this.#pathOf(below)
      return void refused.push({ path, name: basename(path), code: 'unreadable', message: reasonOf(error) })
    }
    rulesOf.set(below, rules)
    for (const entry of entries) await this.#add(folder, below === '' ? entry.text : `${below}/${entry.text}`, entry, rules)
  }

  async #add(folder: FilePath, below: string, { name, text, dirent }: Entry, rules: IgnoreRules): Promise<void> {
    const { skipped } = this.#found
    const place = inside(folder, name)
    const path = this.#pathOf(below)
    const link = dirent.isSymbolicLink() ? await this.#follow(place) : null
    const isFolder = link?.isFolder ?? dirent.isDirectory()
    if (!isFolder && link === null && !dirent.isFile()) return
    const ignoredBy = rules.check(below, isFolder)
    if (ignoredBy === 'rule') skipped.ignored++
    if (ignoredBy !== null) return
    if (isExcluded(path, isFolder, this.#selection.exclude)) return void skipped.excluded++
    if (link !== null && link.leadsOut && !this.#selection.followLinks) return void skipped.links.push(path)
    if (!isFolder) {
      const earlierPath = documentPath('', below, '/')
      return addFile(this.#found, { file: place, path, earlierPath, name: text, isNamed: false }, this.#selection)
    }
    // What a link inside the folder leads to is found there. A folder outside is taken once.
    if (link !== null && (!link.leadsOut || this.#visited.has(link.target))) return
    if (link !== null) this.#visited.add(link.target)
    if (this.#selection.recursive) await this.#look(place, below, rules)
    else skipped.subfolders++
  }

  /** Returns where a link leads; null for a broken one, which `addFile` reports. */
  async #follow(place: FilePath): Promise<{ target: string; isFolder: boolean; leadsOut: boolean }> {
    try {
      const target = await realpath(place)
      const leadsOut = target !== this.#realFolder && !target.startsWith(this.#realFolder + sep)
      return { target, isFolder: (await stat(place)).isDirectory(), leadsOut }
    } catch {
      return { target: '', isFolder: false, leadsOut: false }
    }
  }

  #pathOf(below: string): string {
    return documentPath(this.#name, below, '/')
  }
}

/** Returns the entries of a folder in the order of their names. */
async function entriesOf(folder: FilePath): Promise<Entry[]> {
  const dirents = await readdir(folder, { withFileTypes: true })
  const isDamaged = dirents.some(({ name }) => name.includes('\uFFFD'))
  const entries: Entry[] = isDamaged
    ? (await readdir(folder, { withFileTypes: true, encoding: 'buffer' })).map((dirent) => {
        const text = textOfName(dirent.name)
        return { dirent, text, name: text === dirent.name.toString('utf8') ? text : dirent.name }
      })
    : dirents.map((dirent) => ({ dirent, text: dirent.name, name: dirent.name }))
  return entries.sort((a, b) => (a.text < b.text ? -1 : 1))
}

/** Returns true if a file in the folder says that a program can make its content again (Cache Directory Tagging Specification). */
async function isCache(folder: FilePath, entries: readonly Entry[]): Promise<boolean> {
  if (!entries.some(({ text, dirent }) => text === CACHE_TAG && dirent.isFile())) return false
  const handle = await open(inside(folder, CACHE_TAG))
  try {
    const { buffer } = await handle.read(Buffer.alloc(CACHE_SIGNATURE.length))
    return buffer.toString('latin1') === CACHE_SIGNATURE
  } finally {
    await handle.close()
  }
}

/** Adds a file that was named or found, unless something is wrong with it. */
export async function addFile(
  found: FoundFiles,
  file: Omit<FoundFile, 'size' | 'stats'>,
  { exclude, maxSize = Infinity }: Selection,
): Promise<void> {
  const { refused, skipped } = found
  const { path, name } = file
  if (file.isNamed && isExcluded(path, false, exclude)) return void skipped.excluded++
  if (/\p{Cc}/u.test(path)) {
    const message = 'the name contains control characters, such as a line break; rename it'
    refused.push({ path, name, code: 'invalid_name', message })
    return
  }
  try {
    const stats = await stat(file.file)
    if (!stats.isFile()) refused.push({ path, name, code: 'not_a_file', message: 'not a regular file' })
    else if (stats.size > maxSize) skipped.tooLarge.push(path)
    else found.files.push({ ...file, size: stats.size, stats })
  } catch (error) {
    const failure = error as NodeJS.ErrnoException
    const message = failure.code === 'ENOENT' ? 'broken symbolic link' : reasonOf(failure)
    refused.push({ path, name, code: 'unreadable', message })
  }
}
