import { createHash } from 'node:crypto'
import { BACKUP_FORMAT_VERSION, backupManifest, type BackupManifest } from '../contract/backup.ts'
import { DocsearchError } from '../core/errors.ts'
import { hashOfPath, originalPath } from './layout.ts'

export { BACKUP_FORMAT_VERSION } from '../contract/backup.ts'
export type { BackupManifest } from '../contract/backup.ts'

/** One manifest has about 70 bytes for each original. */
export const MAX_MANIFEST_BYTES = 500_000_000

/** A file that differs from the manifest. */
export interface Fault {
  path: string
  fault: 'missing' | 'damaged' | 'unexpected'
}

export interface SeenFile {
  sha256: string
  size: number
}

/** Returns the text of a manifest, with the checksum of everything else in it. */
export function formatManifest(manifest: Omit<BackupManifest, 'checksum'>): string {
  return `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) })}\n`
}

/** Throws `backup_damaged`, `backup_newer`. */
export function parseManifest(text: string): BackupManifest {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw damagedManifest(error)
  }
  refuseNewer(json)
  const parsed = backupManifest.safeParse(json)
  if (!parsed.success) throw damagedManifest(parsed.error)
  const { checksum, ...rest } = json as BackupManifest
  if (checksumOf(rest) !== checksum) throw damagedManifest()
  return parsed.data
}

/** A later format may have other fields, so its version is checked first. */
function refuseNewer(json: unknown): void {
  const version = (json as { format_version?: unknown } | null)?.format_version
  if (typeof version !== 'number' || version <= BACKUP_FORMAT_VERSION) return
  throw new DocsearchError(
    'backup_newer',
    `A newer version of docsearch wrote this backup (format ${version}, this version reads ${BACKUP_FORMAT_VERSION}). Install that version to read it.`,
  )
}

function damagedManifest(cause?: unknown): DocsearchError {
  return new DocsearchError('backup_damaged', 'The manifest of the backup is damaged. Use another backup.', { cause })
}

function checksumOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
}

/**
 * Compares what was read with the manifest. `isElsewhere` says which originals need not be there, because a folder already has them.
 * Originals that the manifest lists as failed are no fault.
 */
export function compareWithManifest(
  manifest: BackupManifest,
  seen: ReadonlyMap<string, SeenFile>,
  isElsewhere: (sha256: string, size: number) => boolean = () => false,
): Fault[] {
  const faults: Fault[] = []
  const check = (path: string, expected: SeenFile, canBeElsewhere: boolean) => {
    const found = seen.get(path)
    if (found === undefined) {
      if (!canBeElsewhere) faults.push({ path, fault: 'missing' })
    } else if (found.sha256 !== expected.sha256 || found.size !== expected.size) faults.push({ path, fault: 'damaged' })
  }
  for (const file of manifest.files) check(file.path, file, false)
  for (const [sha256, size] of Object.entries(manifest.originals))
    check(originalPath(sha256), { sha256, size }, isElsewhere(sha256, size))
  const files = new Set(manifest.files.map(({ path }) => path))
  const failed = new Set(manifest.failed.map(({ sha256 }) => sha256))
  for (const path of seen.keys()) {
    const hash = hashOfPath(path)
    const isListed = hash === null ? files.has(path) : Object.hasOwn(manifest.originals, hash) || failed.has(hash)
    if (!isListed) faults.push({ path, fault: 'unexpected' })
  }
  return faults
}

/** The number of faults that a message lists. */
const SHOWN = 5

export function damaged(faults: readonly Fault[], hint = 'Use another backup.'): DocsearchError {
  const shown = faults.slice(0, SHOWN).map(({ path, fault }) => `${path} is ${fault}`)
  const more = faults.length > SHOWN ? ` and ${faults.length - SHOWN} more` : ''
  return new DocsearchError('backup_damaged', `The backup is damaged: ${shown.join(', ')}${more}. ${hint}`, {
    details: { faults: faults.slice(0, 1000) },
  })
}

export function incomplete(cause?: unknown): DocsearchError {
  return new DocsearchError(
    'backup_incomplete',
    'The backup is incomplete: it was interrupted before its manifest was written. Take it again, or use another backup.',
    { cause },
  )
}
