import { realpath, stat } from 'node:fs/promises'
import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../exit.ts'
import { refuseSamePaths } from '../../files/find.ts'
import { type FoundFiles, nothingFound, type Refusal, isExcluded, type Selection } from '../../files/found.ts'
import { HashCache } from '../../files/hash-cache.ts'
import { type HashedFile, hashFiles } from '../../files/hash.ts'
import { folderName } from '../../files/paths.ts'
import { withoutUnreadable } from '../../files/left-out.ts'
import { walkFolder } from '../../files/walk.ts'
import { collectPages } from '../find.ts'
import { type Change, changesOf, planSync, type RemoteDocument, type SyncPlan } from './plan.ts'
import type { MaxDelete } from './max-delete.ts'

export interface SyncRequest {
  folder: string
  project: string
  selection: Selection
  tags: readonly string[]
  prunes: boolean
  maxDelete: MaxDelete
  isWholeProject: boolean
}

/** A folder, the documents that it is compared with, and what would make them match. */
export interface Comparison {
  local: LocalFolder
  documents: RemoteDocument[]
  plan: SyncPlan
  changes: Change[]
  /** Some files are perhaps still being written. */
  isUnsettled: boolean
}

/** Reads the folder, and lists the documents. Throws a usage error if there is no such folder. */
export async function compare(
  context: Context,
  client: Client,
  request: SyncRequest,
  { waitsForWriters = false } = {},
): Promise<Comparison> {
  const { folder, project, selection, isWholeProject } = request
  const { isUnsettled, ...local } = await readFolder(context, folder, selection, { waitsForWriters })
  const documents = await listDocuments(client, project, isWholeProject ? null : local.name)
  const plan = planSync(local.files, documents, local.isKept)
  return { local, documents, plan, changes: changesOf(plan), isUnsettled }
}

/** Lists the documents of a project or of one folder in it. Returns none if the project does not exist yet. */
async function listDocuments(client: Client, project: string, folder: string | null): Promise<RemoteDocument[]> {
  try {
    return await collectPages(undefined, async (page) => {
      const filter = { project, ...(folder !== null && { path_prefix: `${folder}/` }) }
      const { documents, next_cursor: next } = await client.documents.list({ ...filter, ...page })
      // Attachments are part of the file of their message.
      const uploaded = documents.filter(({ parent_id: parent }) => (parent ?? null) === null)
      return { items: uploaded.map(({ id, path, name, sha256, status }) => ({ id, path, name, sha256, status })), next }
    })
  } catch (error) {
    if (error instanceof ClientError && error.code === 'project_not_found') return []
    throw error
  }
}

/** What a folder has. */
interface LocalFolder {
  /** The name that the paths of its documents start with. */
  name: string
  files: HashedFile[]
  /** What could not be read. */
  refused: Refusal[]
  /** Files without text. */
  skipped: Refusal[]
  found: FoundFiles
  /** Returns true if the document of this path stays even without a file. */
  isKept(path: string): boolean
}

/** A file that changed so recently is perhaps still being written. */
const WRITING_MS = 1000

/**
 * Reads a folder. With `waitsForWriters`, leaves out files that are perhaps still being written and says so in `isUnsettled`. Throws a
 * usage error if there is no such folder.
 */
async function readFolder(
  context: Context,
  folder: string,
  selection: Selection,
  { waitsForWriters }: { waitsForWriters: boolean },
): Promise<LocalFolder & { isUnsettled: boolean }> {
  const name = await nameOfFolder(folder)
  const found = nothingFound()
  await walkFolder(found, folder, name, selection)
  refuseSamePaths(found.files.map(({ file, path }) => ({ from: String(file), path })))
  const { readable, skipped } = withoutUnreadable(found.files)
  const youngest = Date.now() - WRITING_MS
  const settled = waitsForWriters ? readable.filter(({ stats }) => (stats?.mtimeMs ?? 0) < youngest) : readable
  const cache = await HashCache.open(context.io.env, await realpath(folder))
  const { files, refused: unreadable } = await hashFiles(context, settled, cache)
  await cache.save()
  const refused = [...found.refused, ...unreadable]
  const taken = new Set(files.map(({ path }) => path))
  const present = [
    ...[...refused, ...skipped, ...readable].map(({ path }) => path).filter((path) => !taken.has(path)),
    ...found.skipped.tooLarge,
    ...found.skipped.links,
    ...found.skipped.caches,
  ]
  const isKept = keeper(name, found, present, selection)
  return { name, files, refused, skipped, found, isKept, isUnsettled: settled.length < readable.length }
}

async function nameOfFolder(folder: string): Promise<string> {
  const stats = await stat(folder).catch((error: NodeJS.ErrnoException) => error)
  if (stats instanceof Error && stats.code !== 'ENOENT') throw usage(`${folder} cannot be read: ${stats.message}`)
  if (stats instanceof Error) throw usage(`${folder}: no such folder`)
  if (!stats.isDirectory()) throw usage(`${folder} is not a folder. To upload files, use \`docsearch upload\`.`)
  const name = await folderName(folder)
  if (name === '')
    throw usage(`${folder} has no name, and the paths of the documents start with the name of the folder. Name a folder in it.`)
  return name
}

/** `present` has the paths of files that were left out, and of folders that were not looked into. */
function keeper(
  name: string,
  { rules }: FoundFiles,
  present: readonly string[],
  { exclude }: Selection,
): (path: string) => boolean {
  const leftOut = new Set(present)
  return (path) => {
    if (!path.startsWith(`${name}/`)) return false
    const parts = path.split('/')
    for (let i = 1; i <= parts.length; i++) {
      const upTo = parts.slice(0, i).join('/')
      if (leftOut.has(upTo) || isExcluded(upTo, i < parts.length, exclude)) return true
    }
    for (let i = parts.length - 1; i > 0; i--) {
      const nearest = rules.get(parts.slice(1, i).join('/'))
      if (nearest !== undefined) return nearest.skips(parts.slice(1).join('/'))
    }
    return false
  }
}
