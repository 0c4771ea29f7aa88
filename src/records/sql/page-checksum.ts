import { crc32 } from 'node:zlib'

/** Returns the checksum of a stored page, by which the doctor notices changed bits. */
export function pageChecksum({ text, blocks }: { text: string; blocks: string }): number {
  return crc32(blocks, crc32(text))
}
