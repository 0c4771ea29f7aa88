import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { writeTarFile } from '../backup/file-target.ts'
import { FolderTarget } from '../backup/folder-target.ts'
import { isSnapshotName, snapshotName, targetKind } from '../backup/layout.ts'
import type { BackupConfig } from '../config/config.ts'
import { BackgroundTask } from '../core/background-task.ts'
import type { Clock } from '../core/clock.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { makeFolder } from '../core/sync.ts'
import type { Records } from '../records/records.ts'
import type { BackupSource } from '../services/backup-source.ts'

/** The longest time between two checks whether a backup is due. A timer of days would be late after the machine slept. */
const MAX_LOOK_MS = 60_000

/** A short period needs more frequent checks, because health calls a backup late after two periods. */
function lookEvery(everyMs: number): number {
  return Math.min(MAX_LOOK_MS, everyMs / 4)
}

interface ScheduleOptions {
  config: BackupConfig & { target: string }
  records: Pick<Records, 'backups'>
  source: Pick<BackupSource, 'start'>
  clock: Clock
  log: Logger
  /** Replaces how often it looks, in tests. */
  lookMs?: number
}

/** Takes a backup whenever the last one is older than `backup.every`. After a failure, it tries again with growing pauses. */
export function startSchedule({ config, records, source, clock, log, lookMs = lookEvery(config.everyMs) }: ScheduleOptions): {
  stop(): Promise<void>
} {
  const stopping = new AbortController()
  const task = new BackgroundTask({
    work: takeIfDue,
    onFailure: (error) => {
      if (stopping.signal.aborted) return
      if (isDocsearchError(error, 'backup_running')) log.info({}, 'the scheduled backup waits for another backup')
      else log.error({ err: error, target: config.target }, 'the scheduled backup failed; trying again later')
    },
  })

  async function takeIfDue(): Promise<void> {
    const last = await records.backups.lastSuccess('scheduled')
    const isDue = last === null || clock.now().getTime() - last.startedAt.getTime() >= config.everyMs
    if (!isDue || stopping.signal.aborted) return
    const startedAt = performance.now()
    const bytes = await takeBackup(source, config, clock, stopping.signal)
    log.info({ target: config.target, bytes, took_ms: Math.round(performance.now() - startedAt) }, 'took the scheduled backup')
  }

  task.start()
  const timer = setInterval(() => task.start(), lookMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await task.stop()
    },
  }
}

/** Returns how many bytes were written. */
async function takeBackup(
  source: Pick<BackupSource, 'start'>,
  { target, keep, withVectors }: ScheduleOptions['config'],
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  const isFile = targetKind(target) === 'file'
  const folder = isFile ? null : await FolderTarget.open(target)
  if (isFile) await makeFolder(dirname(target))
  const { stream, done } = await source.start('scheduled', { withVectors, known: folder?.known ?? new Set() })
  try {
    await write(stream, signal)
  } catch (error) {
    stream.destroy()
    await done.catch(() => {})
    throw error
  }
  return (await done).bytes

  async function write(backup: Readable, signal: AbortSignal): Promise<void> {
    if (folder !== null) return void (await folder.add(backup, { keep, signal }))
    await writeTarFile(backup, datedName(target, clock.now()), { force: false, signal })
    await deleteOldFiles(target, keep)
  }
}

/** Puts the time before the extension: `docsearch-20261124T203000123Z.tar`. */
function datedName(target: string, time: Date): string {
  return join(dirname(target), `${stemOf(target)}-${snapshotName(time)}.tar`)
}

async function deleteOldFiles(target: string, keep: number): Promise<void> {
  const stem = `${stemOf(target)}-`
  const isOwn = (name: string) => name.startsWith(stem) && name.endsWith('.tar') && isSnapshotName(name.slice(stem.length, -4))
  const names = (await readdir(dirname(target))).filter(isOwn).toSorted().toReversed()
  for (const name of names.slice(keep)) await rm(join(dirname(target), name), { force: true })
}

function stemOf(target: string): string {
  return basename(target).replace(/\.tar$/i, '')
}

/** Throws `invalid_configuration` for a target that can't work. */
export function checkTarget({ target }: BackupConfig, dataDir: string): void {
  if (target === null) return
  const problem =
    targetKind(target) === null
      ? 'must be a folder or a .tar file'
      : isWithin(dataDir, target)
        ? 'must not be in the data folder'
        : null
  if (problem === null) return
  throw new DocsearchError(
    'invalid_configuration',
    `The configuration is not valid:\n  backup.target ${problem}, but is ${JSON.stringify(target)}`,
  )
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith('..') && !way.startsWith('/'))
}
