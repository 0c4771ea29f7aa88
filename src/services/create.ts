import type { Accounts } from '../auth/accounts.ts'
import type { ApiKeys } from '../auth/auth.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Quotas, RerankerState } from '../core/model.ts'
import type { EmbedderModels } from '../embed/models.ts'
import type { IndexReading } from '../lifecycle/lifecycle.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { OAuth } from '../oauth/oauth.ts'
import type { Records } from '../records/records.ts'
import type { Search } from '../search/search.ts'
import type { WebhookDelivery } from '../webhooks/create.ts'
import { createAccess } from './access.ts'
import { createAccount, type Account } from './account.ts'
import { createAudit, type Audit } from './audit.ts'
import { type BackupSource, createBackups, type Backups } from './backup-source.ts'
import { createApplications, type Applications, createConnections, type Connections } from './applications.ts'
import { createDoctor, type DoctorOptions, type Doctor } from './doctor.ts'
import { createDocuments, type Documents } from './documents.ts'
import { createEvents, type Events } from './events.ts'
import { createHealth, type DiskState, type HealthOptions, type OriginalsState, type Health } from './health.ts'
import { createInstance, type Memory, type Storage, type Instance } from './instance.ts'
import { createKeys, type Keys } from './keys.ts'
import { createPageImages, type PageImages } from './page-images.ts'
import type { PageImages as PageRenderer } from '../images/page-images.ts'
import { createMembers, type Members } from './members.ts'
import { createMetrics, type MetricsOptions, type Metrics } from './metrics.ts'
import { createModels, type Models } from './models.ts'
import { createProjects, type Projects, createUnmanagedProjects, type UnmanagedProjects } from './projects.ts'
import { createSavedSearches, type SavedSearches } from './saved-searches.ts'
import { createSearchService, type SearchService } from './search.ts'
import { createStatus, type StatusOptions, type Status } from './status.ts'
import { createUploadPlans, type UploadPlans } from './upload-plan.ts'
import { createSynonyms, type Synonyms } from './synonyms.ts'
import { createUploads, type Uploads } from './uploads.ts'
import { createUsers, type Users } from './users.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

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

/**
 * What docsearch can do, by noun. The API, the pages and the offline command line all go through these, so that a rule exists once.
 * Services take and return domain types: no wire format, no HTTP. The first argument is the actor, and access.ts decides what they may do.
 */
export interface Services {
  account: Account
  applications: Applications
  audit: Audit
  backups: Backups
  connections: Connections
  documents: Documents
  events: Events
  health: Health
  instance: Instance
  keys: Keys
  members: Members
  doctor: Doctor
  metrics: Metrics
  models: Models
  pageImages: PageImages
  projects: Projects
  savedSearches: SavedSearches
  search: SearchService
  status: Status
  synonyms: Synonyms
  unmanagedProjects: UnmanagedProjects
  uploadPlans: UploadPlans
  uploads: Uploads
  users: Users
  webhooks: Webhooks
}

export type { ListRequest, ResultPage } from '../records/records.ts'
export type { BatchAction } from './batch.ts'
