import type { ApiKeys } from '../auth/auth.ts'
import type { CredentialStore } from '../client/credentials/store.ts'
import { PRIVATE_PROJECT, SCOPES, type User } from '../core/model.ts'
import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'
import { userName } from './data-folder.ts'

/** Returns the owner, and whether this process has created the owner. Creates the owner and the `default` project when they are missing. */
export async function ensureOwner(records: Records): Promise<{ owner: User; isNew: boolean }> {
  const known = await records.users.owner()
  const { owner, isNew } = known === null ? await createOwner(records) : { owner: known, isNew: false }
  const { projects } = await records.members.visibleTo(owner.id)
  if (!projects.some(({ name }) => name === PRIVATE_PROJECT)) {
    await records.projects.create({ ownerId: owner.id, name: PRIVATE_PROJECT, description: '' }).catch((error: unknown) => {
      if (!isDocsearchError(error, 'project_exists')) throw error
    })
  }
  return { owner, isNew }
}

/** `users add` on the same folder, or another process of the instance, may have created the owner first. */
async function createOwner({ users }: Records): Promise<{ owner: User; isNew: boolean }> {
  try {
    return { owner: await users.create({ name: userName(), email: null, role: 'owner' }), isNew: true }
  } catch (error) {
    const owner = isDocsearchError(error, 'owner_exists') ? await users.owner() : null
    if (owner === null) throw error
    return { owner, isNew: false }
  }
}

/**
 * Gives the command line of this operating system user a key for the address now served. Keeps the key of an earlier start if the
 * command line still has it, so that copies of that key keep working. Creates no key if the owner has reached the limit of API
 * keys.
 */
export async function ensureLocalKey(options: {
  owner: User
  apiKeys: ApiKeys
  credentials: CredentialStore
  address: string
  dataDir: string
  /** If false, keeps an existing key but creates none. */
  mayCreate: boolean
  log: Logger
}): Promise<void> {
  const { owner, apiKeys, credentials, address, dataDir, mayCreate, log } = options
  const kept = await credentials.findLocal(dataDir)
  const principal = kept && (await apiKeys.check(kept.token))
  if (kept && principal?.userId === owner.id) {
    await credentials.rememberLocal({ address, dataDir, token: kept.token })
    return
  }
  if (!mayCreate) return
  try {
    const { key } = await apiKeys.create({ ownerId: owner.id, name: 'local command line', scopes: SCOPES, expiresAt: null })
    await credentials.rememberLocal({ address, dataDir, token: key })
  } catch (error) {
    if (!isDocsearchError(error, 'too_many_keys')) throw error
    log.warn(
      {},
      'could not create a key for the local command line, because the owner has too many API keys: delete one and start docsearch again',
    )
  }
}
