import type { Account } from './account.ts'
import type { Audit } from './audit.ts'
import type { Backups } from './backups.ts'
import type { Applications } from './applications.ts'
import type { Connections } from './connections.ts'
import type { Documents } from './documents.ts'
import type { Events } from './events.ts'
import type { Health } from './health.ts'
import type { Instance } from './instance.ts'
import type { Keys } from './keys.ts'
import type { Members } from './members.ts'
import type { Doctor } from './doctor.ts'
import type { Metrics } from './metrics.ts'
import type { Models } from './models.ts'
import type { PageImages } from './page-images.ts'
import type { Projects } from './projects.ts'
import type { SavedSearches } from './saved-searches.ts'
import type { SearchService } from './search.ts'
import type { Status } from './status.ts'
import type { UploadPlans } from './upload-plan.ts'
import type { Synonyms } from './synonyms.ts'
import type { UnmanagedProjects } from './unmanaged-projects.ts'
import type { Uploads } from './uploads.ts'
import type { Users } from './users.ts'
import type { Webhooks } from './webhooks.ts'

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
