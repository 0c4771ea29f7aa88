import { createHash } from 'node:crypto'

/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i
// oxlint-disable-next-line no-control-regex -- file systems refuse control characters
const REFUSED = /[\u0000-\u001f\u007f<>:"|?*\\]/g
/** File systems allow 255 bytes for a name. Other programs add suffixes of their own. */
const MAX_NAME_BYTES = 200
const MAX_SUFFIX_BYTES = 40
const MAX_DEPTH = 50

/**
 * Gives each document path a file path that every file system accepts. Two documents never get the same file, even where letter case and the form
 * of accents make no difference, and no path is both a folder and a file.
 */
export class FileNames {
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()

  /** Keeps the file of an earlier export, unless it is taken. Returns whether it is kept. */
  keep(file: string): boolean {
    return safePath(file) === file && this.#take(file)
  }

  /** Returns a path with slashes. */
  fileFor(path: string): string {
    const safe = safePath(path)
    if (this.#take(safe)) return safe
    for (let attempt = 0; ; attempt++) {
      const file = withSuffix(safe, suffixOf(path, attempt), this.#firstTaken(safe))
      if (this.#take(file)) return file
    }
  }

  /** Returns which part of a path can't be used: a folder that is a file already, or else the name. */
  #firstTaken(file: string): number {
    const folders = parentsOf(keyOf(file))
    const taken = folders.findIndex((folder) => this.#files.has(folder))
    return taken === -1 ? folders.length : taken
  }

  #take(file: string): boolean {
    const key = keyOf(file)
    const folders = parentsOf(key)
    if (this.#files.has(key) || this.#folders.has(key) || folders.some((folder) => this.#files.has(folder))) return false
    this.#files.add(key)
    for (const folder of folders) this.#folders.add(folder)
    return true
  }
}

/** Returns a key that is the same for two paths if some file system treats them as one. */
function keyOf(file: string): string {
  return file.normalize('NFKC').toUpperCase().toLowerCase()
}

function parentsOf(file: string): string[] {
  const parts = file.split('/')
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'))
}

function safePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '')
  const kept = parts.length <= MAX_DEPTH ? parts : [...parts.slice(0, MAX_DEPTH - 1), parts.at(-1)!]
  return kept.length === 0 ? '_' : kept.map(safeName).join('/')
}

function safeName(name: string): string {
  const plain = name.normalize('NFC').toWellFormed().replace(REFUSED, '_')
  // Windows drops dots and spaces at the end. Names that begin with a dot are hidden, and `..` is another folder.
  const visible = plain.replace(/^\.+/, (dots) => '_'.repeat(dots.length)).replace(/[. ]+$/, (end) => '_'.repeat(end.length))
  const named = DEVICE.test(visible) ? `_${visible}` : visible
  return shortened(named === '' ? '_' : named, MAX_NAME_BYTES)
}

/** Cuts a name before its extension, and never within a character. */
function shortened(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const extension = extensionOf(name)
  let stem = name.slice(0, name.length - extension.length)
  while (Buffer.byteLength(stem + extension) > maxBytes) stem = [...stem].slice(0, -1).join('')
  return stem.replace(/[. ]+$/, '_') + extension
}

function extensionOf(name: string): string {
  const extension = /(?<=[^.])\.[^. ]{1,16}$/.exec(name)?.[0] ?? ''
  return extension
}

/** Adds a suffix to one part of a path, before its extension. */
function withSuffix(file: string, suffix: string, part: number): string {
  const parts = file.split('/')
  const name = parts[part]!
  const extension = extensionOf(name)
  const stem = name.slice(0, name.length - extension.length)
  parts[part] = shortened(stem, MAX_NAME_BYTES - MAX_SUFFIX_BYTES) + suffix + extension
  return parts.join('/')
}

/** The same path always gets the same suffix, so that another export changes no names. */
function suffixOf(path: string, attempt: number): string {
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 8)
  return attempt === 0 ? ` (${hash})` : ` (${hash}-${attempt})`
}
