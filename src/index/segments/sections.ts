import { crc32 } from 'node:zlib'
import { corrupt } from '../failures.ts'

interface ElementTypes {
  u8: Uint8Array
  u16: Uint16Array
  u32: Uint32Array
  u64: BigUint64Array
  f64: Float64Array
  i8: Int8Array
  f32: Float32Array
}

const ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
  f64: Float64Array,
  i8: Int8Array,
  f32: Float32Array,
}

/** The sections of a kind of file: the number that the file has for each, and the type of its elements. Numbers are never reused. */
type SectionTable = Record<string, readonly [number: number, type: keyof ElementTypes]>

/** The contents of a file, by the names of its section table. */
export type SectionsOf<T extends SectionTable> = { [Name in keyof T]: ElementTypes[T[Name][1]] }

export interface FileKind<T extends SectionTable> {
  /** Four ASCII characters. */
  magic: string
  /** Raised when a section changes its meaning. A file of another version is rebuilt. */
  version: number
  sections: T
}

const HEADER_BYTES = 16
const ENTRY_BYTES = 24
const ALIGNMENT = 8

/**
 * Returns a file of typed arrays, in little endian as on every processor that docsearch runs on:
 *
 * | byte        | type | content                                             |
 * | ----------- | ---- | --------------------------------------------------- |
 * | 0           | u8×4 | magic                                               |
 * | 4           | u32  | format version                                      |
 * | 8           | u32  | number of sections                                  |
 * | 12          | u32  | CRC32 of bytes 0 to 11 and of the section table     |
 * | 16 + 24 × i | u32  | number of section i                                 |
 * | 20 + 24 × i | u32  | CRC32 of section i                                  |
 * | 24 + 24 × i | u64  | offset of section i, a multiple of 8                |
 * | 32 + 24 × i | u64  | length of section i in bytes                        |
 *
 * The sections follow in the order of the table, with zeros between them. Readers skip sections that they don't know.
 */
export function writeSections<T extends SectionTable>(kind: FileKind<T>, contents: SectionsOf<T>): Uint8Array {
  const names = Object.keys(kind.sections)
  let end = HEADER_BYTES + ENTRY_BYTES * names.length
  const placed = names.map((name) => {
    const { buffer, byteOffset, byteLength } = contents[name]!
    const [offset, content] = [align(end), new Uint8Array(buffer, byteOffset, byteLength)]
    end = offset + byteLength
    return { number: kind.sections[name]![0], offset, content }
  })
  const file = new Uint8Array(end)
  const header = new DataView(file.buffer)
  file.set(Buffer.from(kind.magic, 'ascii'))
  header.setUint32(4, kind.version, true)
  header.setUint32(8, names.length, true)
  for (const [i, { number, offset, content }] of placed.entries()) {
    const entry = HEADER_BYTES + ENTRY_BYTES * i
    header.setUint32(entry, number, true)
    header.setUint32(entry + 4, crc32(content), true)
    header.setBigUint64(entry + 8, BigInt(offset), true)
    header.setBigUint64(entry + 16, BigInt(content.length), true)
    file.set(content, offset)
  }
  header.setUint32(12, headerChecksum(file, names.length), true)
  return file
}

/**
 * Returns views of a file's sections. Copies nothing, unless the bytes start at an address that is not a multiple of 8. Throws
 * DocsearchError `index_corrupt` for a damaged file and for one of another version. Reads every byte, unless the bytes were verified before.
 */
export function readSections<T extends SectionTable>(
  kind: FileKind<T>,
  bytes: Uint8Array,
  { isVerified = false }: { isVerified?: boolean } = {},
): SectionsOf<T> {
  const file = bytes.byteOffset % ALIGNMENT === 0 ? bytes : bytes.slice()
  const header = new DataView(file.buffer, file.byteOffset, file.length)
  check(file.length >= HEADER_BYTES && Buffer.from(file.slice(0, 4)).toString('latin1') === kind.magic, 'has no header')
  check(header.getUint32(4, true) === kind.version, 'has another format version')
  const count = header.getUint32(8, true)
  check(HEADER_BYTES + ENTRY_BYTES * count <= file.length, 'is cut off')
  check(headerChecksum(file, count) === header.getUint32(12, true), 'has a damaged header')

  const found = new Map<number, { offset: number; length: number }>()
  let end = 0
  for (let entry = HEADER_BYTES; entry < HEADER_BYTES + ENTRY_BYTES * count; entry += ENTRY_BYTES) {
    const [offset, length] = [Number(header.getBigUint64(entry + 8, true)), Number(header.getBigUint64(entry + 16, true))]
    check(offset + length <= file.length, 'is cut off')
    const isWhole = isVerified || crc32(file.subarray(offset, offset + length)) === header.getUint32(entry + 4, true)
    check(isWhole, 'has a damaged section')
    found.set(header.getUint32(entry, true), { offset, length })
    end = Math.max(end, offset + length)
  }
  check(end === file.length, 'is longer than its sections')

  const views = Object.entries(kind.sections).map(([name, [number, type]]) => {
    const { offset, length } = found.get(number) ?? { offset: 0, length: -1 }
    const array = ARRAYS[type]
    check(length >= 0 && offset % ALIGNMENT === 0 && length % array.BYTES_PER_ELEMENT === 0, `has no section ${name}`)
    return [name, new array(file.buffer as ArrayBuffer, file.byteOffset + offset, length / array.BYTES_PER_ELEMENT)]
  })
  return Object.fromEntries(views) as SectionsOf<T>
}

/** Throws `index_corrupt` unless the condition holds. */
export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw corrupt(`A file of the search index ${what}. It must be rebuilt from the documents.`)
}

function headerChecksum(file: Uint8Array, sections: number): number {
  const table = file.subarray(HEADER_BYTES, HEADER_BYTES + ENTRY_BYTES * sections)
  return crc32(table, crc32(file.subarray(0, 12)))
}

function align(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT
}
