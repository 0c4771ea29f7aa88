import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isSameListener, normaliseAddress, otherNames, reachableAddress } from '../address.ts'
import { configFolder } from '../folders.ts'
import { announces } from '../local-daemon.ts'
import type { Env } from '../folders.ts'
import { readJson, writePrivateJson } from '../private-file.ts'
import { copyOf, isLogin } from './secrets.ts'
import type { NewCredential, SavedIn, Secrets } from './secrets.ts'

export interface LocalInstance {
  address: string
  /** Absolute. */
  dataDir: string
  /** The user has logged out while the daemon was down, so another instance may be at the address. */
  isReleased: boolean
}

/** See CredentialStore.findLocal. */
export async function findLocal(secrets: Secrets, dataDir: string): Promise<{ token: string; address: string } | null> {
  for (const entry of await secrets.list()) {
    if (entry.dataDir !== resolve(dataDir) || entry.isLogin) continue
    const credential = await secrets.get(entry.address)
    if (credential !== null) return { token: credential.token, address: entry.address }
  }
  return null
}

/** See CredentialStore.rememberLocal. */
export async function rememberLocal(
  secrets: Secrets,
  env: Env,
  local: { address: string; dataDir: string; token?: string },
): Promise<boolean> {
  const address = reachableAddress(local.address)
  const dataDir = resolve(local.dataDir)
  const token = local.token ?? (await findLocal(secrets, dataDir))?.token
  await writePrivateJson(localFile(env), { address, dataDir, isReleased: false } satisfies LocalInstance)
  if (token === undefined) return false

  const here = await secrets.get(address)
  // A login at this address stays in use. The folder's own key waits until the user logs out.
  const keepsLogin = here !== null && isLogin(here) && here.local?.dataDir === dataDir
  const place = keepsLogin ? waitingPlace(dataDir) : address
  const present = keepsLogin ? await secrets.get(place) : here
  if (present?.local?.dataDir !== dataDir || present.token !== token) {
    if (!keepsLogin) await setAside(secrets, address, dataDir)
    await secrets.save(place, { token, kind: 'api_key', local: { dataDir } })
  }
  for (const entry of await secrets.list()) {
    if (entry.dataDir === dataDir && !entry.isLogin && entry.address !== place) await secrets.delete(entry.address)
  }
  return true
}

/** See CredentialStore.saveLogin and saveKey. `address` must be normalised. */
export async function saveInPlaceOfKey(secrets: Secrets, env: Env, address: string, login: NewCredential): Promise<SavedIn> {
  const here = (await secrets.list()).find((entry) => entry.address === address)
  const dataDir = await dataDirOf(secrets, env, address)
  if (here?.dataDir != null && !here.isLogin) {
    const key = await secrets.stored(address)
    if (key !== null) await secrets.save(waitingPlace(here.dataDir), copyOf(key))
  }
  return secrets.save(address, { ...login, local: dataDir === null ? undefined : { dataDir } })
}

/** See CredentialStore.dataDirOf. */
export async function dataDirOf(secrets: Secrets, env: Env, address: string): Promise<string | null> {
  for (const name of [address, ...otherNames(address)]) {
    const stored = await secrets.storedDataDir(name)
    if (stored !== null) return stored
  }
  // After a logout the daemon is still this user's.
  const last = await lastLocalInstance(env)
  if (last === null || !isSameListener(last.address, address)) return null
  return last.isReleased && !announces(last.dataDir, address) ? null : last.dataDir
}

/** See CredentialStore.releaseLocal. */
export async function releaseLocal(env: Env, address: string): Promise<boolean> {
  const last = await lastLocalInstance(env)
  if (last === null || !isSameListener(last.address, address) || announces(last.dataDir, address)) return false
  await writePrivateJson(localFile(env), { ...last, isReleased: true } satisfies LocalInstance)
  return !last.isReleased
}

/** Returns the daemon that this user last ran on this machine; null if there is none. */
export async function lastLocalInstance(env: Env): Promise<LocalInstance | null> {
  const value = await readJson(localFile(env))
  const { address, dataDir, isReleased } = value ?? {}
  if (typeof address !== 'string' || typeof dataDir !== 'string') return null
  return { address: normaliseAddress(address), dataDir, isReleased: isReleased === true }
}

/** Sets another data folder's key at this address aside until that folder is served again. */
async function setAside(secrets: Secrets, address: string, dataDir: string): Promise<void> {
  const present = await secrets.get(address)
  const other = present?.local?.dataDir
  if (present === null || other === undefined || other === dataDir || isLogin(present)) return
  await secrets.save(waitingPlace(other), copyOf(present))
}

function waitingPlace(dataDir: string): string {
  return pathToFileURL(dataDir).href
}

function localFile(env: Env): string {
  return join(configFolder(env), 'local.json')
}
