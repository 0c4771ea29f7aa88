import { crc32 } from 'node:zlib'
import { check } from '../sections.ts'

/** Raised when the manifest changes its meaning. A project with another version is rebuilt. */
const FORMAT_VERSION = 1

/** Which files make up a project. Everything else in its folder is left over from a crash. */
export interface Manifest {
  ownerId: string
  /** True from the moment when damage is found until the project is rebuilt. */
  isIncomplete: boolean
  segments: readonly { name: string; generation: number }[]
}

/** The file, in JSON. The checksum covers the JSON of all other fields. */
interface ManifestFile {
  format_version: number
  owner_id: string
  is_incomplete: boolean
  segments: { name: string; generation: number }[]
  checksum: number
}

export function formatManifest({ ownerId, isIncomplete, segments }: Manifest): Buffer {
  const content: Omit<ManifestFile, 'checksum'> = {
    format_version: FORMAT_VERSION,
    owner_id: ownerId,
    is_incomplete: isIncomplete,
    segments: segments.map(({ name, generation }) => ({ name, generation })),
  }
  return Buffer.from(`${JSON.stringify({ ...content, checksum: checksumOf(content) })}\n`)
}

/** Throws DocsearchError `index_corrupt` unless `formatManifest` wrote the text. */
export function parseManifest(text: string): Manifest {
  const file = parseJson(text)
  check(typeof file === 'object' && file !== null && 'checksum' in file, 'is damaged')
  const { checksum, ...content } = file as ManifestFile
  check(checksum === checksumOf(content), 'is damaged')
  check(content.format_version === FORMAT_VERSION, 'has another format version')
  return { ownerId: content.owner_id, isIncomplete: content.is_incomplete, segments: content.segments }
}

function checksumOf(content: Omit<ManifestFile, 'checksum'>): number {
  return crc32(JSON.stringify(content))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
