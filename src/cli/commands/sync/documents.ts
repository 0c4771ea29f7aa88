import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import { collectPages } from '../pages.ts'
import type { RemoteDocument } from './plan.ts'

/** Lists the documents of a project or of one folder in it. Returns none if the project does not exist yet. */
export async function listDocuments(client: Client, project: string, folder: string | null): Promise<RemoteDocument[]> {
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
