import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../core/logger.ts'
import { isIntactPng } from '../parse/pdf/image/png.ts'

/** The least that a file takes on the disk. */
const MIN_BYTES = 4_096
const NAME = /^([0-9a-f]{64})-\d+-\d+\.png$/

export interface ImageKey {
  /** The hash of the document's original. */
  sha256: string
  /** Counted from 1. */
  page: number
  width: number
}

/**
 * Images of pages in a folder of bounded size. It deletes the images first that nobody has asked for longest. Nothing needs the
 * folder: losing an image costs only the time to render it again, so files are not synced, and no failure of the disk is an error.
 */
export class ImageCache {
  private readonly folder: string
  private readonly maxBytes: number
  private readonly log: Logger
  /** The size of each file, first the file that was asked for longest ago. Files of earlier runs come first. */
  private readonly sizes: Promise<Map<string, number>>
  private bytes = 0

  constructor(options: { folder: string; maxBytes: number; log: Logger }) {
    this.folder = options.folder
    this.maxBytes = options.maxBytes
    this.log = options.log
    this.sizes = this.readFolder()
  }

  /** Returns the size of all images in bytes. */
  async size(): Promise<number> {
    await this.sizes
    return this.bytes
  }

  /** Returns null if the image is not there or damaged. */
  async get(key: ImageKey): Promise<Buffer | null> {
    const sizes = await this.sizes
    const name = nameOf(key)
    const size = sizes.get(name)
    if (size === undefined) return null
    const file = join(this.folder, name)
    // A file that can't be read counts as missing: the image is drawn again.
    const bytes = await readFile(file).catch(() => null)
    if (bytes === null || !isIntactPng(bytes)) {
      await this.delete(name)
      return null
    }
    // Another request may have deleted it meanwhile.
    if (sizes.delete(name)) sizes.set(name, size)
    const now = new Date()
    // The time only decides which image goes first when the cache is full.
    await utimes(file, now, now).catch(() => {})
    return bytes
  }

  async put(key: ImageKey, image: Buffer): Promise<void> {
    const sizes = await this.sizes
    const size = sizeOf(image.length)
    if (size > this.maxBytes) return
    const name = nameOf(key)
    const temporary = join(this.folder, `${randomUUID()}.tmp`)
    try {
      await writeWhole(temporary, image)
      await rename(temporary, join(this.folder, name))
      this.bytes += size - (sizes.get(name) ?? 0)
      sizes.delete(name)
      sizes.set(name, size)
      await this.shrink(sizes)
    } catch (error) {
      this.log.warn({ err: error }, 'the image of a page could not be cached')
      // The log says already what is wrong with the folder. The next start removes the file.
      await rm(temporary, { force: true }).catch(() => {})
    }
  }

  /** Deletes the images of documents whose original is gone. Returns how many it deleted. */
  async sweep(isReferenced: (sha256: string) => Promise<boolean>): Promise<number> {
    const originals = Map.groupBy([...(await this.sizes).keys()], (name) => name.slice(0, name.indexOf('-')))
    let deleted = 0
    for (const [sha256, names] of originals) {
      if (await isReferenced(sha256)) continue
      for (const name of names) await this.delete(name)
      deleted += names.length
    }
    return deleted
  }

  private async shrink(sizes: Map<string, number>): Promise<void> {
    for (const oldest of sizes.keys()) {
      if (this.bytes <= this.maxBytes) return
      await this.delete(oldest)
    }
  }

  private async delete(name: string): Promise<void> {
    const sizes = await this.sizes
    const size = sizes.get(name)
    if (size === undefined) return
    sizes.delete(name)
    this.bytes -= size
    await rm(join(this.folder, name), { force: true }).catch((error: unknown) =>
      this.log.warn({ err: error }, 'the image of a page could not be deleted'),
    )
  }

  /** Finds the images of earlier runs, and deletes what a crash has left half written. */
  private async readFolder(): Promise<Map<string, number>> {
    const sizes = new Map<string, number>()
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 })
      const files: { name: string; at: number; size: number }[] = []
      for (const name of await readdir(this.folder)) {
        const file = join(this.folder, name)
        if (!NAME.test(name)) await rm(file, { recursive: true, force: true })
        else {
          const { size, mtimeMs } = await stat(file)
          files.push({ name, at: mtimeMs, size: sizeOf(size) })
        }
      }
      for (const { name, size } of files.toSorted((a, b) => a.at - b.at)) {
        sizes.set(name, size)
        this.bytes += size
      }
      for (const oldest of sizes.keys()) {
        if (this.bytes <= this.maxBytes) break
        this.bytes -= sizes.get(oldest)!
        sizes.delete(oldest)
        await rm(join(this.folder, oldest), { force: true })
      }
    } catch (error) {
      this.log.warn({ err: error }, 'the folder for the images of pages cannot be read')
    }
    return sizes
  }
}

function nameOf({ sha256, page, width }: ImageKey): string {
  return `${sha256}-${page}-${width}.png`
}

function sizeOf(bytes: number): number {
  return Math.ceil(bytes / MIN_BYTES) * MIN_BYTES
}

async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
  } finally {
    await handle.close()
  }
}
