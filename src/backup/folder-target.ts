import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { DocsearchError } from '../core/errors.ts'
import { makeFolder, syncFile, syncFolder } from '../core/sync.ts'
import type { Receiver } from './content.ts'
import { failedWriting, FileWriter } from './file-writer.ts'
import { hashOfPath, MANIFEST, originalPath, placeIn, snapshotName } from './layout.ts'
import { compareWithManifest, damaged, formatManifest, parseManifest, type BackupManifest } from './manifest.ts'
import { readTar } from './read-tar.ts'
import { listSnapshots, SNAPSHOTS } from './read-folder.ts'

/** The snapshot that is being written. */
const UNFINISHED = 'unfinished'

/**
 * A folder with several backups that share their originals:
 *
 *     manifest.json                a copy of the newest backup's manifest
 *     snapshots/TIME/              database, settings, vectors and manifest of each backup
 *     blobs/ab/cdef…               originals by their hashes
 *
 * A backup is written to a folder with another name, which gets its own when everything is on the disk. The copy of its manifest then makes
 * it the newest one. Until then, and after a crash, the earlier backups stay valid.
 */
export class FolderTarget {
  readonly #folder: string
  /** The originals that the folder has, with their sizes. */
  readonly #known: Map<string, number>

  private constructor(folder: string, known: Map<string, number>) {
    this.#folder = folder
    this.#known = known
  }

  /** The folder need not exist yet. Throws `backup_target` for a folder with something else in it. */
  static async open(folder: string): Promise<FolderTarget> {
    const names = await list(folder)
    const own = new Set([MANIFEST, `${MANIFEST}.part`, SNAPSHOTS, 'blobs', 'lost+found'])
    const foreign = names.find((name) => !own.has(name) && !name.startsWith('.'))
    if (foreign !== undefined) {
      throw new DocsearchError(
        'backup_target',
        `${folder} has other files in it, such as ${foreign}. Name an empty folder, or one that has backups already.`,
      )
    }
    return new FolderTarget(folder, await listOriginals(folder))
  }

  get known(): ReadonlySet<string> {
    return new Set(this.#known.keys())
  }

  /** Adds a backup. Returns its manifest and the number of new originals. Throws what `readTar` throws. */
  async add(source: Readable, options: AddOptions): Promise<AddedBackup> {
    const unfinished = join(this.#folder, SNAPSHOTS, UNFINISHED)
    await makeFolder(this.#folder).catch((error: unknown) => failedWriting(error))
    await rm(unfinished, { recursive: true, force: true })
    const writer = new FileWriter()
    const receiver: Receiver = {
      take: async (path, content) => {
        const hash = hashOfPath(path)
        if (hash === null) return writer.write(placeIn(unfinished, path), content)
        // A damaged original stays out of the folder. The manifest says whether it was damaged before.
        await writer.write(placeIn(this.#folder, path), content, () => content.sha256() === hash)
      },
    }
    try {
      const { manifest, seen } = await readTar(source, receiver, options)
      await writer.finish()
      const faults = compareWithManifest(manifest, seen, (sha256, size) => this.#known.get(sha256) === size)
      if (faults.length > 0) {
        await this.#removeDamaged(faults.map(({ path }) => hashOfPath(path)))
        throw damaged(faults, 'Take the backup again.')
      }
      const snapshot = await this.#complete(unfinished, manifest)
      await this.#prune(options.keep, snapshot)
      const added = [...seen].filter(([path]) => hashOfPath(path) !== null)
      return { manifest, snapshot, newOriginals: added.length, newBytes: added.reduce((sum, [, { size }]) => sum + size, 0) }
    } catch (error) {
      await writer.settle()
      await rm(unfinished, { recursive: true, force: true })
      throw error
    }
  }

  /** Gives the snapshot its name, and makes it the newest one of the folder. */
  async #complete(unfinished: string, manifest: BackupManifest): Promise<string> {
    const snapshots = join(this.#folder, SNAPSHOTS)
    const name = snapshotName(new Date(manifest.created_at))
    const text = formatManifest(withoutChecksum(manifest))
    await this.#install(join(unfinished, MANIFEST), text)
    await rename(unfinished, join(snapshots, name))
    await syncFolder(snapshots)
    await this.#install(join(this.#folder, MANIFEST), text)
    return name
  }

  /** An original of another size than the database knows would stay in the way of an intact one. */
  async #removeDamaged(hashes: readonly (string | null)[]): Promise<void> {
    for (const hash of hashes) if (hash !== null) await rm(placeIn(this.#folder, originalPath(hash)), { force: true })
  }

  async #install(path: string, text: string): Promise<void> {
    await writeFile(`${path}.part`, text, { mode: 0o600 })
    await syncFile(`${path}.part`)
    await rename(`${path}.part`, path)
    await syncFolder(join(path, '..'))
  }

  /** Deletes older snapshots, and originals that no snapshot has. */
  async #prune(keep: number, newest: string): Promise<void> {
    const folder = join(this.#folder, SNAPSHOTS)
    const names = (await listSnapshots(this.#folder)).toReversed()
    const kept = [newest, ...names.filter((name) => name !== newest)].slice(0, keep)
    for (const name of names) {
      if (kept.includes(name)) continue
      // Without its manifest, a snapshot that is only partly deleted is known to be incomplete.
      await rm(join(folder, name, MANIFEST), { force: true })
      await rm(join(folder, name), { recursive: true, force: true })
    }
    const used = new Set<string>()
    for (const name of kept) {
      const manifest = await manifestOf(join(folder, name))
      // The originals of a snapshot with a damaged manifest are unknown, so all of them stay.
      if (manifest === null) return
      for (const sha256 of Object.keys(manifest.originals)) used.add(sha256)
    }
    await this.#deleteOriginals((sha256) => !used.has(sha256))
  }

  async #deleteOriginals(isUnused: (sha256: string) => boolean): Promise<void> {
    const blobs = join(this.#folder, 'blobs')
    for (const prefix of await list(blobs))
      for (const rest of await list(join(blobs, prefix)))
        if (rest.endsWith('.part') || (hashOfPath(`blobs/${prefix}/${rest}`) !== null && isUnused(prefix + rest)))
          await rm(join(blobs, prefix, rest), { force: true })
  }
}

interface AddOptions {
  /** How many backups the folder keeps, at least 1. */
  keep: number
  signal?: AbortSignal | undefined
  onBytes?: ((bytes: number) => void) | undefined
}

export interface AddedBackup {
  manifest: BackupManifest
  snapshot: string
  newOriginals: number
  newBytes: number
}

function withoutChecksum({ checksum: _checksum, ...rest }: BackupManifest): Omit<BackupManifest, 'checksum'> {
  return rest
}

/** Returns null when the snapshot has no manifest that can be read. */
async function manifestOf(snapshot: string): Promise<BackupManifest | null> {
  try {
    return parseManifest(await readFile(join(snapshot, MANIFEST), 'utf8'))
  } catch {
    return null
  }
}

async function listOriginals(folder: string): Promise<Map<string, number>> {
  const known = new Map<string, number>()
  const blobs = join(folder, 'blobs')
  for (const prefix of await list(blobs))
    for (const rest of await list(join(blobs, prefix)))
      if (hashOfPath(`blobs/${prefix}/${rest}`) !== null) known.set(prefix + rest, (await stat(join(blobs, prefix, rest))).size)
  return known
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new DocsearchError('backup_target', `Cannot read ${folder}: ${code === 'ENOTDIR' ? 'it is not a folder' : message}.`, {
      cause: error,
    })
  }
}
