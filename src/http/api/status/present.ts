import type { InstanceStatus, RecentWork, Status } from '../../../contract/status.ts'
import type { InstanceStatus as InstanceReport, StatusReport } from '../../../services/status.ts'
import { presentHealth } from '../health/present.ts'

export function presentStatus({ health, documents, instance }: StatusReport, version: string): Status {
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
