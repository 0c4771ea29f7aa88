import { crc32 } from 'node:zlib'
import { jsonOrNull } from '../../../core/json-or-null.ts'
import { check, type FileIdentity } from '../sections.ts'
import { deletionsFile, vectorsFile, wordsFile } from './files.ts'

/** Raise it when the manifest changes its meaning. A project with another version is rebuilt. */
const FORMAT_VERSION = 2

/**
 * Names the files of a project that are in use. Everything else in its folder is left over from a crash. The identities tell these files from
 * files of another project, of another index or of an earlier time.
 */
export interface Manifest extends ManifestPlace {
  /** True from when damage is found until the project is rebuilt. */
  isIncomplete: boolean
  segments: readonly ManifestSegment[]
}

/** The project that a manifest describes. */
export interface ManifestPlace {
  indexId: string
  projectId: string
}

export interface ManifestSegment {
  name: string
  /** The generation of the deletions, 0 without deletions. */
  generation: number
  words: FileIdentity
  vectors: FileIdentity
  /** The `.del` file. Null without deletions. */
  deletions: FileIdentity | null
}

/** The content of the file, as JSON. The checksum covers the JSON of all other fields. */
interface ManifestFile {
  format_version: number
  index_id: string
  project_id: string
  is_incomplete: boolean
  segments: readonly ManifestSegment[]
  checksum: number
}

export function formatManifest({ indexId, projectId, isIncomplete, segments }: Manifest): Buffer {
  const content: Omit<ManifestFile, 'checksum'> = {
    format_version: FORMAT_VERSION,
    index_id: indexId,
    project_id: projectId,
    is_incomplete: isIncomplete,
    segments,
  }
  return Buffer.from(`${JSON.stringify({ ...content, checksum: checksumOf(content) })}\n`)
}

/** Throws DocsearchError `index_corrupt` unless `formatManifest` wrote the text for this project of this index. */
export function parseManifest(text: string, place: ManifestPlace): Manifest {
  const file = jsonOrNull(text)
  check(typeof file === 'object' && file !== null && 'checksum' in file, 'is damaged')
  const { checksum, ...content } = file as ManifestFile
  check(checksum === checksumOf(content), 'is damaged')
  check(content.format_version === FORMAT_VERSION, 'has another format version')
  check(content.index_id === place.indexId, 'is of another index')
  check(content.project_id === place.projectId, 'is of another project')
  return { ...place, isIncomplete: content.is_incomplete, segments: content.segments }
}

/** Returns the files that a manifest names, with their sizes. */
export function filesInManifest({ segments }: Pick<Manifest, 'segments'>): { file: string; bytes: number }[] {
  return segments.flatMap(({ name, generation, words, vectors, deletions }) => [
    { file: wordsFile(name), bytes: words.bytes },
    { file: vectorsFile(name), bytes: vectors.bytes },
    ...(deletions === null ? [] : [{ file: deletionsFile(name, generation), bytes: deletions.bytes }]),
  ])
}

function checksumOf(content: Omit<ManifestFile, 'checksum'>): number {
  return crc32(JSON.stringify(content))
}
