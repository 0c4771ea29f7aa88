import type { Accounts } from '../auth/accounts.ts'
import type { ApiKeys } from '../auth/auth.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Quotas } from '../core/model.ts'
import type { EmbedderModels } from '../embed/models.ts'
import type { IndexReading } from '../lifecycle/lifecycle.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { OAuth } from '../oauth/oauth.ts'
import type { Records } from '../records/records.ts'
import type { Search } from '../search/search.ts'
import type { WebhookDelivery } from '../webhooks/create.ts'
import { createAccess } from './access.ts'
import { createAccount } from './account.ts'
import { createAudit } from './audit.ts'
import type { BackupSource } from './backup-source.ts'
import { createBackups } from './backups.ts'
import { createApplications } from './applications.ts'
import { createConnections } from './connections.ts'
import { createDoctor, type DoctorOptions } from './doctor.ts'
import { createDocuments } from './documents.ts'
import { createEvents } from './events.ts'
import { createHealth, type DiskState, type HealthOptions, type OriginalsState } from './health.ts'
import { createInstance, type Memory, type Storage } from './instance.ts'
import { createKeys } from './keys.ts'
import { createPageImages } from './page-images.ts'
import type { PageImages as PageRenderer } from '../images/page-images.ts'
import type { RerankerState } from '../rerank/reranker.ts'
import { createMembers } from './members.ts'
import { createMetrics, type MetricsOptions } from './metrics.ts'
import { createModels } from './models.ts'
import { createProjects } from './projects.ts'
import { createSavedSearches } from './saved-searches.ts'
import { createSearchService } from './search.ts'
import type { Services } from './services.ts'
import { createStatus, type StatusOptions } from './status.ts'
import { createUploadPlans } from './upload-plan.ts'
import { createSynonyms } from './synonyms.ts'
import { createUploads } from './uploads.ts'
import { createUnmanagedProjects } from './unmanaged-projects.ts'
import { createUsers } from './users.ts'
import { createWebhooks } from './webhooks.ts'

/** What the services work with. serve/ opens it all; a test may replace a part. */
export interface Backend {
  records: Records
  blobs: Blobs
  lifecycle: IndexReading
  ingest: Ingest
  models: EmbedderModels
  search: Search
  pageImages: PageRenderer
  apiKeys: ApiKeys
  accounts: Accounts
  oauth: OAuth
  webhooks: WebhookDelivery
  /** Returns the free space of the data folder's disk. Never throws. */
  disk(): Promise<DiskState>
  /** Whether the object store answers. Null for an instance in a data folder. */
  storeState: HealthOptions['storeState']
  reranker(): RerankerState
  /** Returns how much of the disk the data folder needs. Never throws. */
  storage(): Promise<Storage>
  memory(): Memory
  runDoctor: DoctorOptions['runDoctor']
  /** Returns what the scrub knows about the originals. Never throws. */
  originals(): Promise<OriginalsState>
  /** Writes the metrics with the present numbers of the instance. */
  metrics: MetricsOptions['metrics']
  parsers: MetricsOptions['parsers']
  /** What the daemon did within the last minutes. */
  rates: StatusOptions['rates']
  ollamaWaiting: MetricsOptions['ollamaWaiting']
  maxFileBytes: number
  maxUploadsInFlight: number
  maxSynonyms: number
  maxWebhooks: number
  /** The quotas of users who have none of their own. */
  quotas: Quotas
  /** How many days the trash keeps documents; 0 when deletions are for good. */
  trashDays: number
  /** How many days the audit log keeps its events; 0 when it is off. */
  auditDays: number
  /** Makes backups. */
  backupSource: Pick<BackupSource, 'start'>
  /** How often the instance takes a backup by itself, in milliseconds; null for never. */
  backupEveryMs: number | null
  startedAt: Date
  clock: Clock
  log: Logger
}

export function createServices(backend: Backend): Services {
  const { records, blobs, lifecycle, ingest, oauth, accounts, quotas, clock, log } = backend
  const access = createAccess(records)
  const projects = createProjects({ records, ingest, access })
  const documents = createDocuments({ records, blobs, ingest, access, trashDays: backend.trashDays, log })
  const users = createUsers({ records, accounts, quotas, deleteUser: (id) => ingest.deleteUser(id) })
  const backups = createBackups({ records, source: backend.backupSource, everyMs: backend.backupEveryMs })
  const health = createHealth({ ...backend, access, backups })
  const models = createModels({ records, access, embedders: backend.models, lifecycle, ingest })
  const instance = createInstance({ ...backend, access, health, models })
  return {
    account: createAccount({ records, accounts, access, quotas }),
    applications: createApplications({ registry: oauth.applications }),
    audit: createAudit({ records, access, days: backend.auditDays }),
    backups,
    connections: createConnections({ oauth, access }),
    doctor: createDoctor({ ...backend }),
    documents,
    events: createEvents({ records, access }),
    health,
    instance,
    keys: createKeys({ records, apiKeys: backend.apiKeys, access, clock }),
    members: createMembers({ records, access, users }),
    metrics: createMetrics({ ...backend, backups, latestHealth: () => instance.latestHealth() }),
    models,
    pageImages: createPageImages({ documents, pageImages: backend.pageImages, log }),
    projects,
    savedSearches: createSavedSearches({ records }),
    search: createSearchService({ search: backend.search, access, records }),
    status: createStatus({ ...backend, access, health }),
    uploadPlans: createUploadPlans({ ...backend, projects }),
    synonyms: createSynonyms({ records, access, maxSynonyms: backend.maxSynonyms }),
    unmanagedProjects: createUnmanagedProjects({ records }),
    uploads: createUploads({ ...backend, access, projects }),
    users,
    webhooks: createWebhooks({ ...backend, access, delivery: backend.webhooks }),
  }
}
