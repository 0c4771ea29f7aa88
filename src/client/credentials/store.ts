import { isolatedKeytar, loadKeytar, openKeychain } from './keychain.ts'
import type { KeytarLike } from './keychain.ts'
import { dataDirOf, findLocal, releaseLocal, rememberLocal, saveInPlaceOfKey } from './local.ts'
import type { OAuthLogin } from './oauth-login.ts'
import { StoredSecrets } from './secrets.ts'
import type { SavedIn, SecretsOptions } from './secrets.ts'

export interface StoreOptions extends Omit<SecretsOptions, 'keychain'> {
  /** Replaces the system's keychain in tests. */
  keytar?: KeytarLike
}

/**
 * Opens the credentials of this user. Reads from the keychain happen in this process, for speed. Writes, and every access of the daemon,
 * go through a process of their own that can be killed.
 */
export function openCredentialStore({ keytar, ...options }: StoreOptions): CredentialStore {
  const quick = openKeychain(keytar === undefined ? loadKeytar : async () => keytar)
  const safe = openKeychain(async () => keytar ?? isolatedKeytar())
  // DOCSEARCH_TOKEN is for the user's requests. It says nothing about the stored keys of data folders.
  const local = new StoredSecrets({ ...options, env: { ...options.env, DOCSEARCH_TOKEN: undefined }, keychain: safe })
  return new CredentialStore({ ...options, keychain: { ...safe, get: quick.get } }, local)
}

/** Credentials by instance address: DOCSEARCH_TOKEN, then the system's keychain, then a private file. */
export class CredentialStore extends StoredSecrets {
  readonly #env: SecretsOptions['env']
  readonly #local: StoredSecrets

  constructor(options: SecretsOptions, local: StoredSecrets) {
    super(options)
    this.#env = options.env
    this.#local = local
  }

  /** Returns the key for a data folder's daemon, whatever address it was last served at; null if there is none. */
  findLocal(dataDir: string): Promise<{ token: string; address: string } | null> {
    return findLocal(this.#local, dataDir)
  }

  /**
   * `serve` calls this at each start. Moves the data folder's key to the address at which it is served now, and makes this daemon the default
   * of commands without --server. Uses the stored key when `token` is missing; returns false if there is none.
   */
  rememberLocal(local: { address: string; dataDir: string; token?: string }): Promise<boolean> {
    return rememberLocal(this.#local, this.#env, local)
  }

  /**
   * Replaces the credential of an address by a login. The key of the user's own daemon is set aside: it returns when the daemon starts
   * after a logout.
   */
  saveLogin(address: string, login: OAuthLogin): Promise<SavedIn> {
    return saveInPlaceOfKey(this, this.#env, address, { kind: 'oauth', login })
  }

  /** Like saveLogin, for a key or token that the user typed. */
  saveKey(address: string, key: { token: string; kind: 'api_key' | 'access_token' }): Promise<SavedIn> {
    return saveInPlaceOfKey(this, this.#env, address, { ...key, isTyped: true })
  }

  /**
   * Treats the address of this user's own daemon like that of any other instance until the daemon runs again. `logout` calls
   * this. Returns false if the daemon is running, or if it had another address.
   */
  releaseLocal(address: string): Promise<boolean> {
    return releaseLocal(this.#env, address)
  }

  /**
   * Returns the data folder of this user's own daemon at this address; null for any other instance. Requests to this daemon go
   * through its socket, because another user can listen on the port while the daemon is down.
   */
  dataDirOf(address: string): Promise<string | null> {
    return dataDirOf(this, this.#env, address)
  }
}
