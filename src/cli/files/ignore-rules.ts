import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Ignore } from 'ignore'
import { isMissing } from '../../client/private-file.ts'
import { type FilePath, inside } from './paths.ts'
import { GENERATED_FILES, GENERATED_FOLDERS } from '../../core/generated-files.ts'

const OWN_FILE = '.docsearchignore'
const GIT_FILE = '.gitignore'
/** Hidden files, and files that programs generate in the folder of a project. A rule such as `!.notes/` includes some of them again. */
const DEFAULTS = ['.*', ...GENERATED_FOLDERS.map((name) => `${name}/`), ...GENERATED_FILES]

/** What skips a file or folder: what docsearch always skips, or a line in a file of rules. */
export type IgnoredBy = 'default' | 'rule'

/** The rules of one folder, relative to it. */
interface Level {
  rules: Ignore
  by: IgnoredBy
  /** Returns a path of the walk relative to the folder of the rules. */
  relative(path: string): string
}

/**
 * The rules of a folder and of those above it, in the syntax of gitignore. The nearest folder with a rule for a path decides, and in
 * one folder `.docsearchignore` decides before `.gitignore`. Paths are relative to the folder of the walk, with slashes.
 */
export class IgnoreRules {
  readonly #levels: readonly Level[]
  readonly #create: () => Ignore
  readonly #usesGit: boolean

  private constructor(levels: readonly Level[], create: () => Ignore, usesGit: boolean) {
    this.#levels = levels
    this.#create = create
    this.#usesGit = usesGit
  }

  /** Returns the rules that hold above a folder: the defaults, and the rules of the Git repository that contains it. */
  static async above(folder: string, { gitignore }: { gitignore: boolean }): Promise<IgnoreRules> {
    const { default: ignore } = await import('ignore')
    const create = () => ignore()
    const levels: Level[] = [{ rules: create().add(DEFAULTS), by: 'default', relative: (path) => path }]
    const start = resolve(folder)
    for (const outer of gitignore ? await foldersOfRepository(start) : []) {
      const text = await textOf(join(outer, GIT_FILE))
      const prefix = start.slice(outer.length).split(/[\\/]/).filter(Boolean).join('/')
      if (text !== '') levels.push({ rules: create().add(text), by: 'rule', relative: (path) => `${prefix}/${path}` })
    }
    return new IgnoreRules(levels, create, gitignore)
  }

  /** Returns the rules that hold in a folder, given those above it. `below` is its path in the walk, empty for the first one. */
  async in(folder: FilePath, below: string, names: ReadonlySet<string>): Promise<IgnoreRules> {
    const levels = below === '' ? this.#levels : this.#levels.map((level) => this.#takenBack(level, below))
    const files = [...(this.#usesGit ? [GIT_FILE] : []), OWN_FILE].filter((name) => names.has(name))
    const texts = await Promise.all(files.map((name) => textOf(inside(folder, name))))
    if (texts.every((text) => text === '')) return new IgnoreRules(levels, this.#create, this.#usesGit)
    const rules = this.#create()
    for (const text of texts) rules.add(text)
    const skipped = below === '' ? 0 : below.length + 1
    const level: Level = { rules, by: 'rule', relative: (path) => path.slice(skipped) }
    return new IgnoreRules([...levels, level], this.#create, this.#usesGit)
  }

  /** The walk came to this folder, so a nearer rule took it back. What is in it is then up to its own names again. */
  #takenBack(level: Level, below: string): Level {
    const path = level.relative(`${below}/`)
    if (!level.rules.test(path).ignored) return level
    const literal = path.replaceAll(/[\\*?[\]!#\s]/g, String.raw`\$&`)
    return { ...level, rules: this.#create().add(level.rules).add(`!/${literal}`) }
  }

  /** Returns what skips a file or folder; null if nothing does. */
  check(path: string, isFolder: boolean): IgnoredBy | null {
    const asked = isFolder ? `${path}/` : path
    for (const { rules, by, relative } of this.#levels.toReversed()) {
      const { ignored, unignored } = rules.test(relative(asked))
      if (ignored) return by
      if (unignored) return null
    }
    return null
  }

  /** Returns true if the file would be skipped, for itself or for a folder that contains it. It need not exist. */
  skips(path: string): boolean {
    const parts = path.split('/')
    return parts.some((_, i) => this.check(parts.slice(0, i + 1).join('/'), i < parts.length - 1) !== null)
  }
}

/** Returns the folders from the root of the Git repository down to the one above `folder`; none outside a repository. */
async function foldersOfRepository(folder: string): Promise<string[]> {
  const folders: string[] = []
  for (let current = folder; ; current = dirname(current)) {
    if (current !== folder) folders.unshift(current)
    const isRoot = await stat(join(current, '.git')).then(
      () => true,
      () => false,
    )
    if (isRoot) return folders
    if (dirname(current) === current) return []
  }
}

/** Empty if there is no such file. Throws what else keeps it from being read: without its rules, files would be taken by mistake. */
async function textOf(file: FilePath): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}
