import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { daemonOf } from '../client/local-daemon.ts'
import { loadConfig, type LoadedConfig } from '../config/load.ts'
import { resolveDataDir } from '../config/data-dir.ts'
import type { SharedPlace } from '../config/shared-place.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import { systemClock } from '../core/clock.ts'
import type { Examination, Finding } from '../core/findings.ts'
import { checkAddress } from '../doctor/address.ts'
import { runDoctor } from '../doctor/doctor-process.ts'
import type { ExamineEvent } from '../doctor/run-checks.ts'
import type { DoctorSettings, Subset } from '../doctor/scene.ts'
import { DATABASE_FILE, lockDataFolder } from './data-folder.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What a data folder has if a daemon ever ran on it, even without its database. */
const SIGNS = [DATABASE_FILE, 'blobs', 'lance', 'segments']

/**
 * Examines a data folder, with or without a running daemon, or the database and the object store that its settings name. With `wantsFix`
 * and without a daemon, keeps the folder locked, so that no daemon starts meanwhile. Throws `data_unusable`.
 */
export async function examineFolder(
  { data, subset, wantsFix, env }: { data: string | undefined; subset: Subset; wantsFix: boolean; env: Environment },
  hooks: { onProgress: (event: ExamineEvent & { type: 'progress' }) => void; signal: AbortSignal },
): Promise<Examination> {
  const { dir } = resolveDataDir(data, env)
  refuseUnreadable(dir)
  const place = await sharedPlaceOf(data, env)
  if (place !== null) {
    const settings = await settingsOf(data, env, null)
    return runDoctor({ database: place.database, store: place.store, settings, subset, wantsFix }, hooks)
  }
  if (!SIGNS.some((name) => existsSync(join(dir, name))))
    throw new DocsearchError('data_unusable', `${dir} is not a docsearch data folder. Name the data folder with --data.`)
  const lock = lockDataFolder(dir)
  const isAlone = lock !== 'in_use'
  if (isAlone && !wantsFix) lock?.close()
  try {
    const settings = await settingsOf(data, env, isAlone ? null : daemonOf(dir)?.base_url)
    return await runDoctor({ dataDir: dir, settings, subset, wantsFix, isAlone, leavesIndexToParent: false }, hooks)
  } finally {
    if (isAlone && wantsFix) lock?.close()
  }
}

/** Returns the database and the object store that the settings of the folder or the environment name. */
async function sharedPlaceOf(data: string | undefined, env: Environment): Promise<SharedPlace | null> {
  try {
    return (await loadConfig(data === undefined ? {} : { data }, env)).config.shared
  } catch (error) {
    // The examination of the folder reports what is wrong with the settings.
    if (isDocsearchError(error, 'invalid_configuration')) return null
    throw error
  }
}

/** A folder of another user looks empty to `existsSync`. */
function refuseUnreadable(dir: string): void {
  try {
    readdirSync(dir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return
    const message = `You may not read ${dir}. Run the doctor as the user who runs the daemon, or with sudo.`
    throw new DocsearchError('data_unusable', message, { cause: error })
  }
}

/** Checks how an instance is reached from this machine. Returns what it found. */
export function examineAddress(
  address: string,
  options: { certificates: string | undefined; signal: AbortSignal },
): Promise<Finding[]> {
  return checkAddress(address, { now: systemClock.now(), ...options })
}

/** `served` is the address of the daemon that runs. */
async function settingsOf(data: string | undefined, env: Environment, served: unknown): Promise<DoctorSettings> {
  try {
    return doctorSettings(await loadConfig(data === undefined ? {} : { data }, env), served)
  } catch (error) {
    if (!isDocsearchError(error, 'invalid_configuration')) throw error
    const { problems } = error.details as { problems: string[] }
    return { ollamaUrl: 'http://127.0.0.1:11434', reranker: 'auto', publicUrl: null, problems }
  }
}

export function doctorSettings({ config }: Pick<LoadedConfig, 'config'>, served: unknown): DoctorSettings {
  const { ollamaUrl, reranker, publicUrl } = config
  return { ollamaUrl, reranker, publicUrl: typeof served === 'string' ? (publicUrl ?? served) : null, problems: [] }
}
