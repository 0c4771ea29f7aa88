import type { Accounts } from '../auth/accounts.ts'
import type { ApiKeys } from '../auth/auth.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Clock } from '../core/clock.ts'
import type { Quotas } from '../core/model.ts'
import type { EmbedderModels } from '../embed/models.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { OAuth } from '../oauth/oauth.ts'
import type { Records } from '../records/records.ts'
import type { Search as SearchPassages } from '../search/search.ts'
import { createAccess } from './access.ts'
import { createAccount } from './account.ts'
import { createApplications } from './applications.ts'
import { createConnections } from './connections.ts'
import { createDocuments } from './documents.ts'
import { createEvents } from './events.ts'
import { createHealth, type DiskState, type RerankerState } from './health.ts'
import { createKeys } from './keys.ts'
import { createMembers } from './members.ts'
import { createModels } from './models.ts'
import { createProjects } from './projects.ts'
import { createSearchService } from './search.ts'
import type { Services } from './services.ts'
import { createUploadPlans } from './upload-plan.ts'
import { createSynonyms } from './synonyms.ts'
import { createUploads } from './uploads.ts'
import { createUsers } from './users.ts'

/** What the services work with. serve/ opens it all; a test may replace a part. */
export interface Backend {
  records: Records
  blobs: Blobs
  lifecycle: Lifecycle
  ingest: Ingest
  models: EmbedderModels
  search: SearchPassages
  apiKeys: ApiKeys
  accounts: Accounts
  oauth: OAuth
  /** Returns the free space of the data folder's disk. Never throws. */
  disk(): Promise<DiskState>
  reranker(): RerankerState
  maxFileBytes: number
  maxUploadsInFlight: number
  maxSynonyms: number
  /** The quotas of users who have none of their own. */
  quotas: Quotas
  startedAt: Date
  clock: Clock
}

export function createServices(backend: Backend): Services {
  const { records, blobs, lifecycle, ingest, oauth, accounts, quotas, clock } = backend
  const access = createAccess(records)
  const projects = createProjects({ records, ingest, access })
  const users = createUsers({ records, accounts, quotas, deleteUser: (id) => ingest.deleteUser(id) })
  return {
    account: createAccount({ records, accounts, quotas }),
    applications: createApplications({ registry: oauth.applications }),
    connections: createConnections({ oauth }),
    documents: createDocuments({ records, blobs, ingest, access }),
    events: createEvents({ records, access }),
    health: createHealth({ ...backend, access }),
    keys: createKeys({ records, apiKeys: backend.apiKeys, clock }),
    members: createMembers({ records, access, users }),
    models: createModels({ access, embedders: backend.models, lifecycle, ingest }),
    projects,
    search: createSearchService({ search: backend.search, access }),
    uploadPlans: createUploadPlans({ ...backend, projects }),
    synonyms: createSynonyms({ records, access, maxSynonyms: backend.maxSynonyms }),
    uploads: createUploads({ ...backend, access, projects }),
    users,
  }
}
