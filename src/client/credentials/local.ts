import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { normaliseAddress, reachableAddress } from '../address.ts'
import { configFolder } from '../folders.ts'
import type { Env } from '../folders.ts'
import { readJson, writePrivateJson } from '../private-file.ts'
import type { Secrets } from './secrets.ts'

export interface LocalInstance {
  address: string
  /** Absolute. */
  dataDir: string
}

/** The key that is kept for the daemon of a data folder, under whatever address it was served last; null when there is none. */
export async function findLocal(secrets: Secrets, dataDir: string): Promise<{ token: string; address: string } | null> {
  for (const entry of await secrets.list()) {
    if (entry.dataDir !== resolve(dataDir)) continue
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
  await writePrivateJson(localFile(env), { address, dataDir } satisfies LocalInstance)
  if (token === undefined) return false

  const present = await secrets.get(address)
  if (present?.local?.dataDir !== dataDir || present.token !== token) {
    await park(secrets, address, dataDir)
    await secrets.set(address, { token, kind: 'api_key', local: { dataDir } })
  }
  for (const entry of await secrets.list()) {
    if (entry.dataDir === dataDir && entry.address !== address) await secrets.delete(entry.address)
  }
  return true
}

/** The daemon last served by this user on this machine; null when there was none. */
export async function lastLocalInstance(env: Env): Promise<LocalInstance | null> {
  const value = await readJson(localFile(env))
  const { address, dataDir } = value ?? {}
  if (typeof address !== 'string' || typeof dataDir !== 'string') return null
  return { address: normaliseAddress(address), dataDir }
}

/** Another data folder's key at this address waits under its folder until that one is served again. */
async function park(secrets: Secrets, address: string, dataDir: string): Promise<void> {
  const present = await secrets.get(address)
  const other = present?.local?.dataDir
  if (present === null || other === undefined || other === dataDir) return
  await secrets.set(pathToFileURL(other).href, { token: present.token, kind: present.kind, local: { dataDir: other } })
}

function localFile(env: Env): string {
  return join(configFolder(env), 'local.json')
}
