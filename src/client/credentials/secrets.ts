import { join } from 'node:path'
import { DocsearchError } from '../../core/errors.ts'
import { normaliseAddress } from '../address.ts'
import { configFolder } from '../folders.ts'
import type { Env } from '../folders.ts'
import { openEntries } from './entries.ts'
import type { CredentialKind, Entry } from './entries.ts'
import { KeychainUnavailable } from './keychain.ts'
import type { Keychain } from './keychain.ts'
import { parseLogin } from './oauth-login.ts'
import type { OAuthLogin } from './oauth-login.ts'

export interface Credential {
  /** What a request carries. */
  token: string
  kind: CredentialKind
  source: 'environment' | 'keychain' | 'file'
  local?: { dataDir: string }
  /** With kind `oauth`. */
  login?: OAuthLogin
}

export type NewCredential = ({ kind: 'api_key' | 'access_token'; token: string } | { kind: 'oauth'; login: OAuthLogin }) & {
  /** Set for a credential of a daemon on this machine. */
  local?: { dataDir: string } | undefined
}

export interface Place {
  source: 'keychain' | 'file'
  file: string
}

export interface Secrets {
  /** DOCSEARCH_TOKEN first; then what is kept for exactly this address. Null when there is none, or its keychain does not answer (with a notice). */
  get(address: string): Promise<Credential | null>
  /** What is kept, whatever DOCSEARCH_TOKEN says. */
  kept(address: string): Promise<Credential | null>
  /** Into the keychain; where there is none into a file of mode 0600, with a notice. Says where. */
  set(address: string, credential: NewCredential): Promise<Place>
  /** Renewed tokens, to the place where the login lies. */
  renew(address: string, login: OAuthLogin): Promise<void>
  /** False when there was none. */
  delete(address: string): Promise<boolean>
  /** Runs `body` while no other process does so for this address: around whatever reads a login and writes another in its place. */
  exclusively<T>(address: string, body: () => Promise<T>, signal?: AbortSignal): Promise<T>
  list(): Promise<{ address: string; kind: CredentialKind; source: 'keychain' | 'file'; dataDir: string | null }[]>
  fileOf(address: string): string
}

export interface SecretsOptions {
  env: Env
  /** One line for a person. */
  onNotice: (line: string) => void
  keychain: Keychain
}

/** Credentials by instance address, which is normalised here; one of them is never given out for another address. */
export function openSecrets(options: SecretsOptions): Secrets {
  const entries = openEntries(join(configFolder(options.env), 'credentials'))
  const { keychain } = options
  const addressOf = (address: string) => (address.startsWith('file://') ? address : normaliseAddress(address))

  /** Null when its keychain does not answer. */
  async function secretOf(entry: Entry): Promise<string | null> {
    if (entry.store === 'file') return entry.token ?? null
    try {
      return await keychain.get(entry.address)
    } catch (error) {
      if (!(error instanceof KeychainUnavailable)) throw error
      options.onNotice(
        `The system keychain holds the ${nameOf(entry.kind)} for ${entry.address}, but cannot be used: ${error.message}.`,
      )
      return null
    }
  }

  async function kept(given: string): Promise<Credential | null> {
    const entry = await entries.get(addressOf(given))
    if (entry === undefined) return null
    const secret = await secretOf(entry)
    if (secret === null) return null
    const credential: Credential = { token: secret, kind: entry.kind, source: entry.store }
    if (entry.dataDir !== undefined) credential.local = { dataDir: entry.dataDir }
    if (entry.kind !== 'oauth') return credential
    const login = parseLogin(secret)
    if (login === undefined) {
      throw new DocsearchError(
        'not_logged_in',
        `The login kept for ${entry.address} cannot be read. ${logInAgain(entry.address)}`,
      )
    }
    return { ...credential, token: login.accessToken, login }
  }

  async function keep(entry: Entry, secret: string): Promise<Place> {
    const file = entries.fileOf(entry.address)
    if (entry.store === 'keychain') {
      try {
        await keychain.set(entry.address, secret)
        await entries.put(entry)
        return { source: 'keychain', file }
      } catch (error) {
        if (!(error instanceof KeychainUnavailable)) throw error
        const what = nameOf(entry.kind)
        options.onNotice(`No system keychain to use (${error.message}); the ${what} is kept in ${file}, which only you can read.`)
      }
    }
    await entries.put({ ...entry, store: 'file', token: secret })
    return { source: 'file', file }
  }

  return {
    async get(given) {
      const token = options.env['DOCSEARCH_TOKEN']?.trim()
      if (token) return { token, kind: 'api_key', source: 'environment' }
      return kept(given)
    },

    kept,

    set(given, credential) {
      const entry: Entry = { address: addressOf(given), kind: credential.kind, store: 'keychain' }
      if (credential.local !== undefined) entry.dataDir = credential.local.dataDir
      return keep(entry, credential.kind === 'oauth' ? JSON.stringify(credential.login) : credential.token)
    },

    async renew(given, login) {
      const entry = await entries.get(addressOf(given))
      // Logged out meanwhile: then nothing is kept again.
      if (entry?.kind === 'oauth') await keep(entry, JSON.stringify(login))
    },

    async delete(given) {
      const address = addressOf(given)
      const entry = await entries.get(address)
      if (entry?.store === 'keychain') {
        try {
          await keychain.delete(address)
        } catch (error) {
          if (!(error instanceof KeychainUnavailable)) throw error
          const what = nameOf(entry.kind)
          options.onNotice(
            `The ${what} for ${address} may still be in the system keychain, which cannot be used: ${error.message}.`,
          )
        }
      }
      return entries.remove(address)
    },

    async exclusively(given, body, signal) {
      const { withLock } = await import('./lock.ts')
      return withLock(`${entries.fileOf(addressOf(given))}.lock`, body, { signal })
    },

    async list() {
      const all = await entries.list()
      return all.map((entry) => ({
        address: entry.address,
        kind: entry.kind,
        source: entry.store,
        dataDir: entry.dataDir ?? null,
      }))
    },

    fileOf: (given) => entries.fileOf(addressOf(given)),
  }
}

/** The same again, to be kept elsewhere. */
export function copyOf({ kind, token, login, local }: Credential): NewCredential {
  if (kind !== 'oauth') return { kind, token, local }
  if (login === undefined) throw new Error('a credential of kind oauth has its login')
  return { kind, login, local }
}

export function logInAgain(address: string): string {
  return `Log in again with \`docsearch login ${address}\`.`
}

function nameOf(kind: CredentialKind): string {
  return kind === 'oauth' ? 'login' : 'key'
}
