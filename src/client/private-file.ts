// `promises` loads when it is used. A search only reads, which needs no more than `readFileSync`.
import { promises, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DocsearchError } from '../core/errors.ts'
import { reasonOf } from './errors.ts'

/**
 * Writes JSON that only its owner may read (folder 0700, file 0600). Replaces the file atomically: writes and syncs a new file, then renames it.
 * Throws DocsearchError `settings_unwritable`.
 */
export async function writePrivateJson(file: string, value: unknown, { isCompact } = { isCompact: false }): Promise<void> {
  const folder = dirname(file)
  const fresh = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`
  try {
    await promises.mkdir(folder, { recursive: true, mode: 0o700 })
    // A folder that existed before may be readable by others.
    await promises.chmod(folder, 0o700)
    const handle = await promises.open(fresh, 'wx', 0o600)
    try {
      await handle.writeFile(JSON.stringify(value, null, isCompact ? undefined : 2) + '\n')
      await handle.sync()
    } finally {
      await handle.close()
    }
    await promises.rename(fresh, file)
  } catch (error) {
    await promises.rm(fresh, { force: true })
    throw new DocsearchError('settings_unwritable', `Cannot write ${file}: ${reasonOf(error)}.`, { cause: error })
  }
}

/** Reads a JSON object; undefined when the file doesn't exist. Throws DocsearchError `settings_invalid` for anything else. */
export async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new DocsearchError('settings_unreadable', `Cannot read ${file}: ${reasonOf(error)}.`, { cause: error })
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // The error below omits the parser's message, which quotes the file and so perhaps a key.
  }
  throw new DocsearchError('settings_invalid', `${file} is not a JSON object. Correct or remove the file.`)
}

export function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
