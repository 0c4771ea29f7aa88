import type { Project } from '../../../contract/projects.ts'
import type { OwnProject } from '../../../services/projects.ts'

export function presentProject(project: OwnProject): Project {
  const { counts } = project
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    role: project.role,
    owner: { id: project.ownerId, name: project.ownerName },
    document_count: counts.documents,
    chunk_count: counts.chunks,
    size_bytes: counts.bytes,
    statuses: {
      queued: counts.statuses.queued,
      processing: counts.statuses.processing,
      ready: counts.statuses.ready,
      failed: counts.statuses.failed,
    },
    ...(project.trashed !== undefined && { trashed_count: project.trashed }),
    created_at: project.createdAt.toISOString(),
    updated_at: project.updatedAt.toISOString(),
  }
}
