import { type InstanceStatus, type RecentWork, type Status, status as statusSchema } from '../../../contract/status.ts'
import type { InstanceStatus as InstanceReport, StatusReport } from '../../../services/status.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { presentHealth } from '../health/present.ts'

export const statusRoutes = ({ status, version }: Pick<Dependencies, 'status' | 'version'>): Route[] => [
  route({
    operationId: 'getStatus',
    method: 'GET',
    path: '/api/v1/status',
    tag: 'Instance',
    summary: 'Show what the instance is doing',
    description:
      'The answer of `getHealth` with the number of documents by status. The owner of the instance also gets rates, memory, sizes and the state of the index. A load balancer should ask `getHealth`, which answers 503 when the instance does not work.',
    access: 'read:documents',
    answers: { 200: { description: 'The state of the instance', schema: statusSchema } },
    async handle({ ctx, actor }) {
      ctx.body = presentStatus(await status.report(actor), version)
    },
  }),
]

function presentStatus({ health, documents, instance }: StatusReport, version: string): Status {
  return {
    ...presentHealth(health, version, { isDetailed: true }),
    documents,
    instance: instance && presentInstance(instance),
  }
}

function presentInstance({ queueOldestSeconds, recent, index, parsers, memory, storage, users }: InstanceReport): InstanceStatus {
  return {
    queue_oldest_s: queueOldestSeconds,
    recent: recent && presentRecent(recent),
    index: index && {
      passages: index.passages,
      unindexed: index.unindexed,
      segments: index.segments,
      memory_bytes: index.memoryBytes,
    },
    parsers: parsers && { ...parsers },
    memory: memory && {
      resident_bytes: memory.resident,
      heap_bytes: memory.heap,
      search_limit_bytes: memory.forSearch,
    },
    storage: {
      folder: storage.folder,
      database_bytes: storage.database,
      originals_bytes: storage.originals,
      indexes_bytes: storage.indexes,
      page_images_bytes: storage.pageImages,
      free_bytes: storage.free,
      total_bytes: storage.total,
    },
    users: { active: users.all - users.disabled, disabled: users.disabled },
  }
}

function presentRecent({
  documentsReady,
  documentsFailed,
  searchMs,
  ...recent
}: NonNullable<InstanceReport['recent']>): RecentWork {
  return { ...recent, search_ms: searchMs, documents_ready: documentsReady, documents_failed: documentsFailed }
}
