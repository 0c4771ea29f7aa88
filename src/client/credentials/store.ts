import { isolatedKeytar, loadKeytar, openKeychain } from './keychain.ts'
import type { KeytarLike } from './keychain.ts'
import { findLocal, keepLogin, rememberLocal } from './local.ts'
import type { OAuthLogin } from './oauth-login.ts'
import { openSecrets } from './secrets.ts'
import type { Place, Secrets, SecretsOptions } from './secrets.ts'

export interface CredentialStore extends Secrets {
  /** The key that is kept for the daemon of a data folder, under whatever address it was served last; null when there is none. */
  findLocal(dataDir: string): Promise<{ token: string; address: string } | null>
  /**
   * Called by `serve` at each start: makes the data folder's key good for the address now served, forgets its former address, and remembers this
   * daemon as the one that a command without --server means. Without `token` the stored key is taken. False when there is none.
   */
  rememberLocal(local: { address: string; dataDir: string; token?: string }): Promise<boolean>
  /** In place of what is kept for the address. The key of this user's own daemon there is set aside: it is back with the daemon's next start after a logout. */
  keepLogin(address: string, login: OAuthLogin): Promise<Place>
}

export interface StoreOptions extends Omit<SecretsOptions, 'keychain'> {
  /** For tests: in place of the system's. */
  keytar?: KeytarLike
}

/**
 * Credentials by instance address: DOCSEARCH_TOKEN, then the system's keychain, then a private file. Reading happens in this process, for speed;
 * whatever writes, and the daemon, asks the keychain from a process of its own that can be killed.
 */
export function openCredentialStore(options: StoreOptions): CredentialStore {
  const { keytar } = options
  const quick = openKeychain(keytar === undefined ? loadKeytar : async () => keytar)
  const safe = openKeychain(async () => keytar ?? isolatedKeytar())
  const secrets = openSecrets({ ...options, keychain: { ...safe, get: quick.get } })
  // DOCSEARCH_TOKEN is what the user calls with; it says nothing about the keys that are kept.
  const kept = openSecrets({ ...options, env: { ...options.env, DOCSEARCH_TOKEN: undefined }, keychain: safe })
  return {
    ...secrets,
    findLocal: (dataDir) => findLocal(kept, dataDir),
    rememberLocal: (local) => rememberLocal(kept, options.env, local),
    keepLogin: (address, login) => keepLogin(secrets, address, login),
  }
}
