import { join } from 'node:path'
import { DocsearchError } from '../../core/errors.ts'
import { normaliseAddress } from '../address.ts'
import { configFolder, type Env } from '../folders.ts'
import { KeychainUnavailable, type Keychain } from './keychain.ts'
import { parseLogin, type OAuthLogin } from './oauth-login.ts'
import { promises } from 'node:fs'
import { isMissing, readJson, writePrivateJson } from '../private-file.ts'

export interface Credential {
  /** What requests send. */
  token: string
  kind: CredentialKind
  source: 'environment' | 'keychain' | 'file'
  local?: { dataDir: string }
  /** True for a key that the user typed. A key of this user's own daemon without `isTyped` comes from `serve`. */
  isTyped?: boolean
  /** Only for kind `oauth`. */
  login?: OAuthLogin
}

export type NewCredential = ({ kind: 'api_key' | 'access_token'; token: string } | { kind: 'oauth'; login: OAuthLogin }) & {
  /** Set for a credential of this user's own daemon. */
  local?: { dataDir: string } | undefined
  /** True for a key that the user typed. */
  isTyped?: boolean
}

export interface SavedIn {
  source: 'keychain' | 'file'
  file: string
}

export interface Secrets {
  /** Returns DOCSEARCH_TOKEN, or else the credential stored for exactly this address. Null if there is none or its keychain doesn't answer (with a notice). */
  get(address: string): Promise<Credential | null>
  /** Returns the stored credential, whatever DOCSEARCH_TOKEN is. */
  stored(address: string): Promise<Credential | null>
  /** Stores a credential in the keychain, or with a notice in a file of mode 0600. Returns where. */
  save(address: string, credential: NewCredential): Promise<SavedIn>
  /** Stores renewed tokens where the login is stored. Does nothing after a logout. */
  renew(address: string, login: OAuthLogin): Promise<void>
  /** Returns false when there was no credential. */
  delete(address: string): Promise<boolean>
  /** Runs `body` while no other process does so for this address. Use it to read a login and store another in its place. */
  exclusively<T>(address: string, body: () => Promise<T>, signal?: AbortSignal): Promise<T>
  list(): Promise<
    { address: string; kind: CredentialKind; source: 'keychain' | 'file'; dataDir: string | null; isLogin: boolean }[]
  >
  /** Returns the data folder that was stored with the credential of an address; null for an instance that is not this user's own daemon. */
  storedDataDir(address: string): Promise<string | null>
  fileOf(address: string): string
}

export interface SecretsOptions {
  env: Env
  /** Receives one line for the user. */
  onNotice: (line: string) => void
  keychain: Keychain
}

/** Stores credentials by the normalised address of their instance. A credential is never returned for another address. */
export class StoredSecrets implements Secrets {
  readonly #options: SecretsOptions
  readonly #entries: Entries

  constructor(options: SecretsOptions) {
    this.#options = options
    this.#entries = openEntries(join(configFolder(options.env), 'credentials'))
  }

  async get(address: string): Promise<Credential | null> {
    const token = this.#options.env['DOCSEARCH_TOKEN']?.trim()
    return token ? { token, kind: 'api_key', source: 'environment' } : this.stored(address)
  }

  async stored(address: string): Promise<Credential | null> {
    const entry = await this.#entries.get(keyOf(address))
    if (entry === undefined) return null
    const secret = await this.#secretOf(entry)
    return secret === null ? null : credentialOf(entry, secret)
  }

  save(address: string, credential: NewCredential): Promise<SavedIn> {
    const entry: Entry = { address: keyOf(address), kind: credential.kind, store: 'keychain' }
    if (credential.local !== undefined) entry.dataDir = credential.local.dataDir
    if (credential.isTyped === true) entry.isTyped = true
    return this.#write(entry, credential.kind === 'oauth' ? JSON.stringify(credential.login) : credential.token)
  }

  async renew(address: string, login: OAuthLogin): Promise<void> {
    const entry = await this.#entries.get(keyOf(address))
    if (entry?.kind === 'oauth') await this.#write(entry, JSON.stringify(login))
  }

  async delete(address: string): Promise<boolean> {
    const key = keyOf(address)
    const entry = await this.#entries.get(key)
    if (entry?.store === 'keychain') {
      const onFailure = (reason: string) =>
        `The ${nameOf(entry.kind)} for ${key} may still be in the system keychain, which cannot be used: ${reason}.`
      await this.#tryKeychain(() => this.#options.keychain.delete(key), onFailure)
    }
    return this.#entries.remove(key)
  }

  async exclusively<T>(address: string, body: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { withLock } = await import('./lock.ts')
    return withLock(`${this.fileOf(address)}.lock`, body, { signal })
  }

  async list() {
    const entries = await this.#entries.list()
    return entries.map((entry) => {
      const { address, kind, store, dataDir = null } = entry
      return { address, kind, source: store, dataDir, isLogin: isLogin(entry) }
    })
  }

  async storedDataDir(address: string): Promise<string | null> {
    return (await this.#entries.get(keyOf(address)))?.dataDir ?? null
  }

  fileOf(address: string): string {
    return this.#entries.fileOf(keyOf(address))
  }

  /** Returns null when the keychain doesn't answer. */
  async #secretOf(entry: Entry): Promise<string | null> {
    if (entry.store === 'file') return entry.token ?? null
    const onFailure = (reason: string) =>
      `The ${nameOf(entry.kind)} for ${entry.address} is in the system keychain, which cannot be used: ${reason}.`
    return (await this.#tryKeychain(() => this.#options.keychain.get(entry.address), onFailure))?.value ?? null
  }

  async #write(entry: Entry, secret: string): Promise<SavedIn> {
    const file = this.#entries.fileOf(entry.address)
    if (entry.store === 'keychain') {
      const onFailure = (reason: string) =>
        `Could not use the system keychain (${reason}). The ${nameOf(entry.kind)} is stored in ${file}, which only you can read.`
      if (await this.#tryKeychain(() => this.#options.keychain.set(entry.address, secret), onFailure)) {
        await this.#entries.put(entry)
        return { source: 'keychain', file }
      }
    }
    await this.#entries.put({ ...entry, store: 'file', token: secret })
    return { source: 'file', file }
  }

  /** Returns null, after a notice, when the keychain can't be used. */
  async #tryKeychain<T>(use: () => Promise<T>, onFailure: (reason: string) => string): Promise<{ value: T } | null> {
    try {
      return { value: await use() }
    } catch (error) {
      if (!(error instanceof KeychainUnavailable)) throw error
      this.#options.onNotice(onFailure(error.message))
      return null
    }
  }
}

/** The key of a data folder's waiting credential is its file URL; see local.ts. */
function keyOf(address: string): string {
  return address.startsWith('file://') ? address : normaliseAddress(address)
}

function credentialOf(entry: Entry, secret: string): Credential {
  const credential: Credential = { token: secret, kind: entry.kind, source: entry.store }
  if (entry.isTyped === true) credential.isTyped = true
  if (entry.dataDir !== undefined) credential.local = { dataDir: entry.dataDir }
  if (entry.kind !== 'oauth') return credential
  const login = parseLogin(secret)
  if (login !== undefined) return { ...credential, token: login.accessToken, login }
  throw new DocsearchError('not_logged_in', `The login for ${entry.address} cannot be read. ${logInAgain(entry.address)}`)
}

/** Returns true if the user logged in with the credential, and false for a key that `serve` created. */
export function isLogin({ kind, isTyped }: Pick<Entry, 'kind' | 'isTyped'>): boolean {
  return kind === 'oauth' || isTyped === true
}

/** A stored credential, to be stored under another key. */
export function copyOf({ kind, token, login, local, isTyped }: Credential): NewCredential {
  if (kind !== 'oauth') return { kind, token, local, isTyped: isTyped ?? false }
  if (login === undefined) throw new Error('a credential of kind oauth must have its login')
  return { kind, login, local }
}

export function logInAgain(address: string): string {
  return `Log in again with \`docsearch login ${address}\`.`
}

function nameOf(kind: CredentialKind): string {
  return kind === 'oauth' ? 'login' : 'key'
}

/** The secret of `oauth` is an OAuthLogin as JSON, which renews itself. The secret of the others is a token. */
type CredentialKind = 'api_key' | 'access_token' | 'oauth'

const KINDS: readonly unknown[] = ['api_key', 'access_token', 'oauth'] satisfies CredentialKind[]

/** One instance's credential. Contains the secret only when no keychain could store it. */
interface Entry {
  address: string
  kind: CredentialKind
  store: 'keychain' | 'file'
  token?: string
  /** For a credential of this user's own daemon: its data folder. */
  dataDir?: string
  /** True for a key that the user typed. A key of this user's own daemon without `isTyped` comes from `serve`. */
  isTyped?: boolean
}

interface Entries {
  get(address: string): Promise<Entry | undefined>
  put(entry: Entry): Promise<void>
  remove(address: string): Promise<boolean>
  list(): Promise<Entry[]>
  fileOf(address: string): string
}

/** Stores one file per address, so that two programs that log in to different instances never write the same file. */
function openEntries(folder: string): Entries {
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
