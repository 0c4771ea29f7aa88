import { crc32 } from 'node:zlib'
import { corrupt } from './failures.ts'
import { checksumsOfPages, countPages, PagedBytes, type PagedFile } from './paged-file.ts'

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

/** The sections of a kind of file: the number by which the file knows each section, and the type of its elements. Never reuse a number. */
export type SectionTable = Record<string, readonly [number: number, type: keyof ElementTypes]>

/** The contents of a file, by the names of its section table. */
export type SectionsOf<T extends SectionTable> = { [Name in keyof T]: ElementTypes[T[Name][1]] }

export interface FileKind<T extends SectionTable> {
  /** Four ASCII characters. */
  magic: string
  /** Raise it when a section changes its meaning. A file of another version is rebuilt. */
  version: number
  sections: T
  /** The sections that may stay on disk. Their elements are bytes. */
  large: readonly (keyof T & string)[]
}

const HEADER_BYTES = 16
const ENTRY_BYTES = 24
const ALIGNMENT = 8
/** The number of a large section plus this is the number of the section with its page checksums. */
const PAGE_CHECKSUMS = 0x1_0000

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
 * The sections follow in the order of the table, with zeros between them. Readers skip sections that they don't know. For each large section
 * `n` there is a section `PAGE_CHECKSUMS + n` with the CRC32 of each of its pages (paged-file.ts), so that each page can be verified by itself.
 *
 * `allocate` returns memory that threads can share, so that a large file is never in memory twice.
 */
export function writeSections<T extends SectionTable>(
  kind: FileKind<T>,
  contents: SectionsOf<T>,
  allocate: (size: number) => Uint8Array = sharedBytes,
): Uint8Array {
  const all = Object.entries(kind.sections).map(([name, [number]]) => ({ number, content: bytesOf(contents[name]!) }))
  for (const name of kind.large) {
    const checksums = checksumsOfPages(bytesOf(contents[name]))
    all.push({ number: PAGE_CHECKSUMS + kind.sections[name]![0], content: bytesOf(checksums) })
  }
  let end = HEADER_BYTES + ENTRY_BYTES * all.length
  const placed = all.map(({ number, content }) => {
    const offset = align(end)
    end = offset + content.length
    return { number, offset, content }
  })
  const file = allocate(end)
  const header = new DataView(file.buffer, file.byteOffset)
  file.set(Buffer.from(kind.magic, 'ascii'))
  header.setUint32(4, kind.version, true)
  header.setUint32(8, placed.length, true)
  for (const [i, { number, offset, content }] of placed.entries()) {
    const entry = HEADER_BYTES + ENTRY_BYTES * i
    header.setUint32(entry, number, true)
    header.setUint32(entry + 4, crc32(content), true)
    header.setBigUint64(entry + 8, BigInt(offset), true)
    header.setBigUint64(entry + 16, BigInt(content.length), true)
    file.set(content, offset)
  }
  header.setUint32(12, headerChecksum(file, placed.length), true)
  return file
}

function sharedBytes(size: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(size))
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
  const placed = readHeader(kind, file, file.length).map((section) => ({ ...section, at: section.offset }))
  if (!isVerified) for (const section of placed) verify(file, section)
  return viewsOf(kind, file, placed)
}

/**
 * Opens a file whose large sections stay on disk. In `sections`, these are empty; `paged` has them by name. The sections in memory have been
 * verified before.
 */
export function openSections<T extends SectionTable>(
  kind: FileKind<T>,
  file: PagedFile,
): { sections: SectionsOf<T>; paged: Record<string, PagedBytes> } {
  const resident = new Uint8Array(file.resident)
  const { placed } = placeResident(kind, readHeader(kind, resident, file.size))
  const paged: Record<string, PagedBytes> = {}
  for (const name of kind.large) {
    const section = (wanted: number) => placed.find(({ number }) => number === wanted)
    const number = kind.sections[name]![0]
    const [pages, checksums] = [section(number), section(PAGE_CHECKSUMS + number)]
    check(pages !== undefined && checksums?.length === 4 * countPages(pages.length), `has no checksums of ${name}`)
    paged[name] = new PagedBytes(file, {
      ...pages,
      checksums: new Uint32Array(file.resident, checksums.at, checksums.length / 4),
    })
  }
  return { sections: viewsOf(kind, resident, placed), paged }
}

/**
 * Returns the header of a file and its small sections, one after another, and verifies them. `read` returns bytes of the file. Throws
 * DocsearchError `index_corrupt` for a damaged file.
 */
export function readResident<T extends SectionTable>(
  kind: FileKind<T>,
  size: number,
  read: (start: number, end: number) => Uint8Array,
): SharedArrayBuffer {
  const start = read(0, Math.min(size, HEADER_BYTES))
  check(start.length === HEADER_BYTES, 'has no header')
  const headerEnd = HEADER_BYTES + ENTRY_BYTES * new DataView(start.buffer, start.byteOffset).getUint32(8, true)
  check(headerEnd <= Math.min(size, MAX_HEADER_BYTES), 'is cut off')
  const header = read(0, headerEnd)
  const { placed, end } = placeResident(kind, readHeader(kind, header, size))
  const resident = new Uint8Array(new SharedArrayBuffer(end))
  resident.set(header)
  for (const section of placed) {
    if (section.isLarge) continue
    resident.set(read(section.offset, section.offset + section.length), section.at)
    verify(resident, section)
  }
  return resident.buffer
}

/** Verifies the sections that stay on disk, without reading a whole section into memory. */
export function verifyLarge<T extends SectionTable>(
  kind: FileKind<T>,
  { resident, size }: Pick<PagedFile, 'resident' | 'size'>,
  read: (start: number, end: number) => Uint8Array,
): void {
  const { placed } = placeResident(kind, readHeader(kind, new Uint8Array(resident), size))
  for (const { isLarge, offset, length, checksum } of placed) {
    if (!isLarge) continue
    let sum = 0
    for (let at = offset; at < offset + length; at += VERIFIED_BYTES)
      sum = crc32(read(at, Math.min(offset + length, at + VERIFIED_BYTES)), sum)
    check(sum === checksum, 'has a damaged section')
  }
}

/** Large sections are verified in parts of this size. */
const VERIFIED_BYTES = 2 ** 20
const MAX_HEADER_BYTES = 65_536

interface Section {
  number: number
  checksum: number
  offset: number
  length: number
}

/** A section with its offset in memory. */
interface PlacedSection extends Section {
  at: number
  /** True if the section stays on disk. */
  isLarge?: boolean
}

/** Reads the header of a file of `size` bytes. `bytes` are the first bytes of the file. */
function readHeader<T extends SectionTable>(kind: FileKind<T>, bytes: Uint8Array, size: number): Section[] {
  check(bytes.length >= HEADER_BYTES && Buffer.from(bytes.slice(0, 4)).toString('latin1') === kind.magic, 'has no header')
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  check(header.getUint32(4, true) === kind.version, 'has another format version')
  const count = header.getUint32(8, true)
  check(HEADER_BYTES + ENTRY_BYTES * count <= bytes.length, 'is cut off')
  check(headerChecksum(bytes, count) === header.getUint32(12, true), 'has a damaged header')
  const sections = Array.from({ length: count }, (_, i): Section => {
    const entry = HEADER_BYTES + ENTRY_BYTES * i
    return {
      number: header.getUint32(entry, true),
      checksum: header.getUint32(entry + 4, true),
      offset: Number(header.getBigUint64(entry + 8, true)),
      length: Number(header.getBigUint64(entry + 16, true)),
    }
  })
  const end = sections.reduce((most, { offset, length }) => Math.max(most, offset + length), 0)
  check(end <= size, 'is cut off')
  check(end === size, 'is longer than its sections')
  return sections
}

/** Returns where each small section lies in memory, one after another behind the header. */
function placeResident<T extends SectionTable>(
  kind: FileKind<T>,
  sections: readonly Section[],
): { placed: PlacedSection[]; end: number } {
  const large = new Set(kind.large.map((name) => kind.sections[name]![0]))
  let end = HEADER_BYTES + ENTRY_BYTES * sections.length
  const placed = sections.map((section): PlacedSection => {
    if (large.has(section.number)) return { ...section, at: 0, isLarge: true }
    const at = align(end)
    end = at + section.length
    return { ...section, at }
  })
  return { placed, end }
}

function verify(file: Uint8Array, { at, length, checksum }: PlacedSection): void {
  check(crc32(file.subarray(at, at + length)) === checksum, 'has a damaged section')
}

/** Returns a view of each section in memory, and an empty array for each section on disk. */
function viewsOf<T extends SectionTable>(kind: FileKind<T>, file: Uint8Array, placed: readonly PlacedSection[]): SectionsOf<T> {
  const byNumber = new Map(placed.map((section) => [section.number, section]))
  const views = Object.entries(kind.sections).map(([name, [number, type]]) => {
    const { at, length, isLarge } = byNumber.get(number) ?? { at: 0, length: -1 }
    const array = ARRAYS[type]
    check(length >= 0 && at % ALIGNMENT === 0 && length % array.BYTES_PER_ELEMENT === 0, `has no section ${name}`)
    if (isLarge) return [name, new array(0)]
    return [name, new array(file.buffer as ArrayBuffer, file.byteOffset + at, length / array.BYTES_PER_ELEMENT)]
  })
  return Object.fromEntries(views) as SectionsOf<T>
}

/** Identifies a file by its length and by the checksum of its header. The header has the checksums of all sections. */
export interface FileIdentity {
  bytes: number
  checksum: number
}

/** Returns the identity of a file of `size` bytes. `bytes` are the first bytes of the file. */
export function identityOf(bytes: Uint8Array, size: number): FileIdentity {
  check(bytes.length >= HEADER_BYTES, 'has no header')
  return { bytes: size, checksum: new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true) }
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Throws `index_corrupt` unless the condition holds. */
export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw corrupt(`A file of the search index ${what}. It must be rebuilt from the documents.`, { fault: what })
}

function headerChecksum(file: Uint8Array, sections: number): number {
  const table = file.subarray(HEADER_BYTES, HEADER_BYTES + ENTRY_BYTES * sections)
  return crc32(table, crc32(file.subarray(0, 12)))
}

function align(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT
}
