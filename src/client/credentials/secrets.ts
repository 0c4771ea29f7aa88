import { join } from 'node:path'
import { normaliseAddress } from '../address.ts'
import { configFolder } from '../folders.ts'
import type { Env } from '../folders.ts'
import { openEntries } from './entries.ts'
import type { CredentialKind, Entry } from './entries.ts'
import { KeychainUnavailable } from './keychain.ts'
import type { Keychain } from './keychain.ts'

export interface Credential {
  token: string
  kind: CredentialKind
  source: 'environment' | 'keychain' | 'file'
  local?: { dataDir: string }
}

export interface NewCredential {
  token: string
  kind: CredentialKind
  /** Set for the key of a daemon on this machine. */
  local?: { dataDir: string }
}

export interface Secrets {
  /** DOCSEARCH_TOKEN first; then what is kept for exactly this address. Null when there is none, or its keychain does not answer (with a notice). */
  get(address: string): Promise<Credential | null>
  /** Into the keychain; where there is none into a file of mode 0600, with a notice. Says where. */
  set(address: string, credential: NewCredential): Promise<{ source: 'keychain' | 'file'; file: string }>
  /** False when there was none. */
  delete(address: string): Promise<boolean>
  list(): Promise<{ address: string; kind: CredentialKind; source: 'keychain' | 'file'; dataDir: string | null }[]>
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
      options.onNotice(`The system keychain holds the key for ${entry.address}, but cannot be used: ${error.message}.`)
      return null
    }
  }

  return {
    async get(given) {
      const token = options.env['DOCSEARCH_TOKEN']?.trim()
      if (token) return { token, kind: 'api_key', source: 'environment' }
      const entry = await entries.get(addressOf(given))
      if (entry === undefined) return null
      const secret = await secretOf(entry)
      if (secret === null) return null
      const credential: Credential = { token: secret, kind: entry.kind, source: entry.store }
      return entry.dataDir === undefined ? credential : { ...credential, local: { dataDir: entry.dataDir } }
    },

    async set(given, credential) {
      const address = addressOf(given)
      const entry: Entry = { address, kind: credential.kind, store: 'keychain' }
      if (credential.local !== undefined) entry.dataDir = credential.local.dataDir
      const file = entries.fileOf(address)
      try {
        await keychain.set(address, credential.token)
        await entries.put(entry)
        return { source: 'keychain', file }
      } catch (error) {
        if (!(error instanceof KeychainUnavailable)) throw error
        await entries.put({ ...entry, store: 'file', token: credential.token })
        options.onNotice(`No system keychain to use (${error.message}); the key is kept in ${file}, which only you can read.`)
        return { source: 'file', file }
      }
    },

    async delete(given) {
      const address = addressOf(given)
      const entry = await entries.get(address)
      if (entry?.store === 'keychain') {
        try {
          await keychain.delete(address)
        } catch (error) {
          if (!(error instanceof KeychainUnavailable)) throw error
          options.onNotice(`The key for ${address} may still be in the system keychain, which cannot be used: ${error.message}.`)
        }
      }
      return entries.remove(address)
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
  }
}
