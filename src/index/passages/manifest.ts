import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { corrupt } from '../segments/failures.ts'

/** Rows that LanceDB added in one commit, or that a compaction merged. */
export interface Fragment {
  id: number
  /** The files with its rows, and with the list of its deleted rows, relative to the folder of the table. */
  files: string[]
}

/** The version of a table that LanceDB opens. */
export interface TableVersion {
  /** The manifest itself, relative to the folder of the table. */
  file: string
  fragments: Fragment[]
}

const VERSIONS = '_versions'
const MAX_VERSION = 2n ** 64n - 1n
/** The end of a manifest: where its message begins, the version of the format, and the mark. */
const FOOTER_BYTES = 16
const LENGTH_BYTES = 4

/**
 * Returns the manifest of the newest version of a table, relative to the folder of the table. Throws `index_corrupt` if there is none.
 */
export async function newestManifest(folder: string): Promise<string> {
  const newest = (await readdir(join(folder, VERSIONS)))
    .filter((name) => /^\d+\.manifest$/.test(name))
    .map((name) => ({ name, version: versionOf(name) }))
    .reduce<{ name: string; version: bigint } | null>((a, b) => (a !== null && a.version > b.version ? a : b), null)
  if (newest === null) throw corrupt('The search index has no manifest. It must be rebuilt from the documents.')
  return join(VERSIONS, newest.name)
}

/**
 * Reads which files the newest version of a table consists of, because LanceDB has no call for it. The format is that of `table.proto` of Lance:
 * `Manifest` has the fragments in field 2. Throws `index_corrupt` if the manifest can't be read.
 */
export async function readNewestVersion(folder: string): Promise<TableVersion> {
  return readVersion(folder, await newestManifest(folder))
}

/** Reads which files the version with this manifest consists of. Throws `index_corrupt` if the manifest can't be read. */
export async function readVersion(folder: string, file: string): Promise<TableVersion> {
  const bytes = await readFile(join(folder, file))
  try {
    return { file, fragments: fragmentsOf(bytes) }
  } catch (cause) {
    throw corrupt('A manifest of the search index is damaged. The index must be rebuilt from the documents.', { cause })
  }
}

/** Names of 20 digits count down, so that the newest one comes first in a list. */
function versionOf(name: string): bigint {
  const digits = name.slice(0, name.indexOf('.'))
  return digits.length === 20 ? MAX_VERSION - BigInt(digits) : BigInt(digits)
}

function fragmentsOf(bytes: Buffer): Fragment[] {
  const at = Number(bytes.readBigUInt64LE(bytes.length - FOOTER_BYTES))
  const begin = at + LENGTH_BYTES
  const message = bytes.subarray(begin, begin + bytes.readUInt32LE(at))
  return fieldsOf(message).flatMap(({ field, bytes: fragment }) => (field === 2 ? fragmentOf(fragment) : []))
}

/** `DataFragment`: 1 is the ID, 2 are its data files, 3 is the file with its deletions. */
function fragmentOf(bytes: Buffer): Fragment {
  const fields = fieldsOf(bytes)
  const id = valueOf(fields, 1)
  const files: string[] = []
  for (const { field, bytes: value } of fields) {
    // `DataFile`: 1 is the name.
    if (field === 2)
      for (const { field, bytes: name } of fieldsOf(value)) if (field === 1) files.push(join('data', name.toString()))
    if (field === 3) files.push(join('_deletions', deletionsOf(id, fieldsOf(value))))
  }
  return { id: Number(id), files }
}

/** `DeletionFile`: 1 is its type, 2 the version that it was made from, 3 its ID. */
function deletionsOf(fragment: bigint, fields: readonly Field[]): string {
  return `${fragment}-${valueOf(fields, 2)}-${valueOf(fields, 3)}.${valueOf(fields, 1) === 0n ? 'arrow' : 'bin'}`
}

interface Field {
  field: number
  /** The wire type of a number. */
  value: bigint
  /** The wire type of everything else. */
  bytes: Buffer
}

const NONE = Buffer.alloc(0)

/** Returns the number in a field. Protobuf leaves out zeros. */
function valueOf(fields: readonly Field[], wanted: number): bigint {
  return fields.find(({ field }) => field === wanted)?.value ?? 0n
}

/** Reads the fields of a message of Protocol Buffers. Throws if the bytes are not such a message. */
function fieldsOf(bytes: Buffer): Field[] {
  let at = 0
  const number = (): bigint => {
    let [value, shift] = [0n, 0n]
    for (;;) {
      const byte = bytes.readUInt8(at++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
      shift += 7n
    }
  }
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('a field exceeds its message')
    return bytes.subarray(at, (at += length))
  }
  const fields: Field[] = []
  while (at < bytes.length) {
    const tag = Number(number())
    const field = Math.floor(tag / 8)
    const type = tag % 8
    if (type === 0) fields.push({ field, value: number(), bytes: NONE })
    else if (type === 1) fields.push({ field, value: 0n, bytes: take(8) })
    else if (type === 2) fields.push({ field, value: 0n, bytes: take(Number(number())) })
    else if (type === 5) fields.push({ field, value: 0n, bytes: take(4) })
    else throw new RangeError(`a field has the unknown type ${type}`)
  }
  return fields
}
