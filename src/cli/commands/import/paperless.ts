import { readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { countOf } from '../../../core/count-of.ts'
import type { ExportedDocument, Source } from './source.ts'
import { createReadStream } from 'node:fs'

// The format: document_exporter of Paperless-ngx, which writes the records of Django's serializer, and adds the names of the files.
const FILE = '__exported_file_name__'
const ARCHIVE = '__exported_archive_name__'
/** With --split-manifest, each document has a separate file. */
const SPLIT = '-manifest.json'
export const PAPERLESS_MANIFEST = 'manifest.json'
/** With --use-folder-prefix, files are in folders by their kind. */
const PREFIX = /^(?:originals|archive)\//
const MAX_TAG_CHARACTERS = 200

interface PaperlessRecord {
  model: string
  pk: number
  fields: Record<string, unknown>
  [FILE]?: unknown
  [ARCHIVE]?: unknown
}

/** The names of what documents refer to, by model and key. */
type Names = Map<string, string>

const NAMED = ['documents.tag', 'documents.correspondent', 'documents.documenttype', 'documents.storagepath']

/** Reads an export of Paperless-ngx. `prefersOriginals` takes the original also where there is an archive version. Throws SyntaxError. */
export async function readPaperlessExport(folder: string, { prefersOriginals }: { prefersOriginals: boolean }): Promise<Source> {
  const names: Names = new Map()
  const documents: PaperlessRecord[] = []
  for (const file of [join(folder, PAPERLESS_MANIFEST), ...(await splitManifests(folder))])
    for await (const value of readJsonArray(file)) {
      if (!isRecord(value)) continue
      if (NAMED.includes(value.model)) names.set(`${value.model} ${value.pk}`, textOf(value.fields['name']))
      else if (value.model === 'documents.document') documents.push(withoutContent(value))
    }
  const source: Source = { kind: 'an export of Paperless-ngx', documents: [], refused: [], notes: [] }
  const deleted = documents.filter(({ fields }) => typeof fields['deleted_at'] === 'string')
  const present = documents.filter((record) => !deleted.includes(record))
  if (deleted.length > 0) source.notes.push(`Left out ${countOf(deleted.length, 'document')} in the trash of Paperless-ngx.`)
  const { current, olderVersions } = currentVersions(present)
  if (olderVersions > 0) source.notes.push(`Left out ${countOf(olderVersions, 'older version')}.`)
  let archives = 0
  const paths = new Set<string>()
  for (const { record, content } of current) {
    const converted = convert(record, content, names, prefersOriginals)
    if (converted === null) {
      const name = textOf(record.fields['title']) || `document ${record.pk}`
      source.refused.push({ path: name, name, code: 'no_file', message: 'the export has no file for the document' })
      continue
    }
    if (converted.isArchive) archives++
    source.documents.push({ ...converted.document, path: uniquePath(converted.document.path, record.pk, paths) })
  }
  if (archives > 0)
    source.notes.push(`Uploading the archive version of ${countOf(archives, 'document')}, because it has the recognized text.`)
  return source
}

async function splitManifests(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(SPLIT))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

function isRecord(value: unknown): value is PaperlessRecord {
  if (typeof value !== 'object' || value === null) return false
  const { model, pk, fields } = value as Record<string, unknown>
  return typeof model === 'string' && typeof pk === 'number' && typeof fields === 'object' && fields !== null
}

/** The text of all documents together may be larger than the memory. */
function withoutContent({ fields, ...record }: PaperlessRecord): PaperlessRecord {
  const { content: _content, ...rest } = fields
  return { ...record, fields: rest }
}

/** Of a document with versions, the newest one has the content, and the first one the title and the tags. */
function currentVersions(records: readonly PaperlessRecord[]): {
  current: { record: PaperlessRecord; content: PaperlessRecord }[]
  olderVersions: number
} {
  const versions = Map.groupBy(
    records.filter(({ fields }) => typeof fields['root_document'] === 'number'),
    ({ fields }) => fields['root_document'] as number,
  )
  const roots = records.filter(({ fields }) => typeof fields['root_document'] !== 'number')
  const numberOf = ({ fields }: PaperlessRecord) => Number(fields['version_index'] ?? 0)
  const current = roots.map((record) => {
    const newest = (versions.get(record.pk) ?? []).toSorted((a, b) => numberOf(b) - numberOf(a))[0]
    return { record, content: newest ?? record }
  })
  return { current, olderVersions: records.length - roots.length }
}

function convert(
  { fields }: PaperlessRecord,
  content: PaperlessRecord,
  names: Names,
  prefersOriginals: boolean,
): { document: ExportedDocument; isArchive: boolean } | null {
  const [original, archive] = [textOf(content[FILE]), textOf(content[ARCHIVE])]
  const isArchive = archive !== '' && (!prefersOriginals || original === '')
  const file = isArchive ? archive : original
  if (file === '') return null
  const path = pathOf(original || archive, isArchive)
  const title = textOf(fields['title']).trim()
  return {
    isArchive,
    document: {
      path,
      file,
      name: path.slice(path.lastIndexOf('/') + 1),
      tags: tagsOf(fields, names),
      title: title === '' ? null : title,
      hash: hashOf(content.fields[isArchive ? 'archive_checksum' : 'checksum']),
    },
  }
}

/** The archive version of `scan.jpg` is a PDF. */
function pathOf(original: string, isArchive: boolean): string {
  const path = original.split(sep).join('/').replace(PREFIX, '')
  return isArchive && !/\.pdf$/i.test(path) ? path.replace(/(?<=[^/])\.[^./]*$/, '') + '.pdf' : path
}

function uniquePath(path: string, pk: number, taken: Set<string>): string {
  const unique = taken.has(path) ? path.replace(/(\.[^./]*)?$/, (extension) => ` (${pk})${extension}`) : path
  taken.add(unique)
  return unique
}

function tagsOf(fields: Record<string, unknown>, names: Names): string[] {
  const nameOf = (model: string, pk: unknown) => names.get(`documents.${model} ${String(pk)}`) ?? ''
  const tags = Array.isArray(fields['tags']) ? fields['tags'].map((pk) => nameOf('tag', pk)) : []
  const prefixed = (prefix: string, name: string) => (name === '' ? '' : `${prefix}:${name}`)
  const all = [
    ...tags,
    prefixed('correspondent', nameOf('correspondent', fields['correspondent'])),
    prefixed('type', nameOf('documenttype', fields['document_type'])),
    prefixed('storage-path', nameOf('storagepath', fields['storage_path'])),
  ]
  return [...new Set(all.map(toTag).filter((tag) => tag !== ''))]
}

/** Tags of docsearch have no commas. */
function toTag(name: string): string {
  return name
    .replaceAll(/[,\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_TAG_CHARACTERS)
}

/** Earlier versions of Paperless-ngx write MD5, later ones SHA-256. */
function hashOf(checksum: unknown): ExportedDocument['hash'] {
  const hex = textOf(checksum).toLowerCase()
  if (/^[0-9a-f]{64}$/.test(hex)) return { algorithm: 'sha256', hex }
  return /^[0-9a-f]{32}$/.test(hex) ? { algorithm: 'md5', hex } : null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A larger value can't be a record of an export. */
const MAX_CHARS = 256_000_000

/**
 * Yields the values of a JSON array in a file one by one, because the array may be longer than a string can be. Throws SyntaxError for anything but an
 * array.
 */
async function* readJsonArray(file: string): AsyncGenerator<unknown> {
  let [depth, start, isInText, isEscaped, isEnded] = [0, -1, false, false, false]
  let text = ''
  let at = 0
  for await (const part of createReadStream(file, { encoding: 'utf8', highWaterMark: 1024 * 1024 }) as AsyncIterable<string>) {
    text += part
    for (; at < text.length; at++) {
      const character = text[at]!
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (character === '\\') isEscaped = true
        else if (character === '"') isInText = false
        continue
      }
      if (isEnded || depth === 0) {
        if (/\s|\ufeff/.test(character)) continue
        if (isEnded || character !== '[') throw new SyntaxError('the file is not a JSON array')
        depth = 1
        continue
      }
      const isEnd = depth === 1 && (character === ',' || character === ']')
      if (isEnd) {
        if (start >= 0) yield JSON.parse(text.slice(start, at))
        else if (character === ',') throw new SyntaxError('the array has an empty place')
        text = text.slice(at + 1)
        at = -1
        start = -1
        if (character === ']') isEnded = true
        continue
      }
      if (start < 0 && !/\s/.test(character)) start = at
      if (character === '"') isInText = true
      else if (character === '{' || character === '[') depth++
      else if (character === '}' || character === ']') depth--
    }
    if (text.length > MAX_CHARS) throw new SyntaxError('a value of the array is too large')
  }
  if (!isEnded) throw new SyntaxError('the file ends early')
}
