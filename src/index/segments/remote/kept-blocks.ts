import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { jsonOrNull } from '../../../core/json-or-null.ts'
import { BLOCK_BYTES } from '../remote-file.ts'

const FORMAT_VERSION = 1

/** A block that a closed cache has left in its file. */
export interface KeptBlock {
  /** The key of the object in the store. Objects never change. */
  key: string
  block: number
  slot: number
  /** The CRC32 of the block. */
  checksum: number
}

const LIST = z.strictObject({
  format_version: z.literal(FORMAT_VERSION),
  block_bytes: z.literal(BLOCK_BYTES),
  objects: z.array(
    z.strictObject({
      key: z.string(),
      blocks: z.array(z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.int().nonnegative()])),
    }),
  ),
})

const fileIn = (folder: string) => join(folder, 'blocks.json')

/**
 * Returns the blocks in the list of a folder, and deletes the list, because it is wrong as soon as the cache changes. Returns no blocks if the list
 * is missing, as after a crash, or damaged.
 */
export async function takeKeptBlocks(folder: string): Promise<KeptBlock[]> {
  const text = await readFile(fileIn(folder), 'utf8').catch(() => '')
  await rm(fileIn(folder), { force: true })
  const { data } = LIST.safeParse(jsonOrNull(text))
  const all = data?.objects.flatMap(({ key, blocks }) =>
    blocks.map(([block, slot, checksum]) => ({ key, block, slot, checksum })),
  )
  const slots = new Set(all?.map(({ slot }) => slot))
  return all !== undefined && slots.size === all.length ? all : []
}

export async function writeKeptBlocks(folder: string, kept: readonly KeptBlock[]): Promise<void> {
  const objects = [...Map.groupBy(kept, ({ key }) => key)].map(([key, blocks]) => ({
    key,
    blocks: blocks.map(({ block, slot, checksum }) => [block, slot, checksum]),
  }))
  const list = { format_version: FORMAT_VERSION, block_bytes: BLOCK_BYTES, objects }
  await writeFile(fileIn(folder), JSON.stringify(list), { mode: 0o600 })
}
