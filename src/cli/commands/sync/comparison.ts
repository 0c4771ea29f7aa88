import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import type { Selection } from '../../files/selection.ts'
import { collectPages } from '../pages.ts'
import { type Change, changesOf } from './changes.ts'
import { type LocalFolder, readFolder } from './folder.ts'
import type { MaxDelete } from './max-delete.ts'
import { planSync, type RemoteDocument, type SyncPlan } from './plan.ts'

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
