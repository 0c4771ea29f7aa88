import { promises } from 'node:fs'
import { join } from 'node:path'
import { DocsearchError } from '../../core/errors.ts'
import { isMissing, readJson, writePrivateJson } from '../private-file.ts'

/** The secret of `oauth` is an OAuthLogin as JSON, which renews itself. The secret of the others is a token. */
export type CredentialKind = 'api_key' | 'access_token' | 'oauth'

const KINDS: readonly unknown[] = ['api_key', 'access_token', 'oauth'] satisfies CredentialKind[]

/** One instance's credential. Contains the secret only when no keychain could store it. */
export interface Entry {
  address: string
  kind: CredentialKind
  store: 'keychain' | 'file'
  token?: string
  /** For a credential of this user's own daemon: its data folder. */
  dataDir?: string
  /** True for a key that the user typed. A key of this user's own daemon without `isTyped` comes from `serve`. */
  isTyped?: boolean
}

export interface Entries {
  get(address: string): Promise<Entry | undefined>
  put(entry: Entry): Promise<void>
  remove(address: string): Promise<boolean>
  list(): Promise<Entry[]>
  fileOf(address: string): string
}

/** Stores one file per address, so that two programs that log in to different instances never write the same file. */
export function openEntries(folder: string): Entries {
  const fileOf = (address: string) => join(folder, fileName(address))

  async function read(file: string): Promise<Entry | undefined> {
    const value = await readJson(file)
    if (value === undefined) return undefined
    const entry = parseEntry(value)
    if (entry === undefined)
      throw new DocsearchError('settings_invalid', `${file} is not a docsearch credential. Remove the file and log in again.`)
    return entry
  }

  return {
    fileOf,
    async get(address) {
      const entry = await read(fileOf(address))
      // A file that was copied to another name must not send its key to another address.
      return entry?.address === address ? entry : undefined
    },
    put: (entry) => writePrivateJson(fileOf(entry.address), entry),
    async remove(address) {
      const file = fileOf(address)
      const exists = (await readJson(file).catch(() => ({}) /* an invalid entry can be removed too */)) !== undefined
      await promises.rm(file, { force: true })
      return exists
    },
    async list() {
      let names: string[]
      try {
        names = await promises.readdir(folder)
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
      const entries: Entry[] = []
      for (const name of names.filter((name) => name.endsWith('.json')).sort()) {
        const entry = await read(join(folder, name))
        if (entry !== undefined && fileOf(entry.address) === join(folder, name)) entries.push(entry)
      }
      return entries
    },
  }
}

/** A readable name with a hash of the address. A collision is harmless, because the entry contains its address. Node's crypto would cost a search 5 ms. */
function fileName(address: string): string {
  let hash = 0x811c9dc5 // FNV-1a
  for (const byte of Buffer.from(address)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  const plain = address
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[^A-Za-z0-9.]+/g, '-')
    .slice(0, 80)
  return `${plain}-${hash.toString(16).padStart(8, '0')}.json`
}

function parseEntry(value: Record<string, unknown>): Entry | undefined {
  const { address, kind, store, token, dataDir, isTyped } = value
  if (typeof address !== 'string' || !KINDS.includes(kind)) return undefined
  if (store !== 'keychain' && store !== 'file') return undefined
  if (store === 'file' && typeof token !== 'string') return undefined
  const entry: Entry = { address, kind: kind as CredentialKind, store }
  if (typeof token === 'string') entry.token = token
  if (typeof dataDir === 'string') entry.dataDir = dataDir
  if (isTyped === true) entry.isTyped = true
  return entry
}
