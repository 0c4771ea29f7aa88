import type { AppParts } from '../dependencies.ts'
import { assetPages } from './assets.ts'
import { authorizePages } from './account/authorize.ts'
import { devicePages } from './account/device.ts'
import { documentListPages } from './documents/list.ts'
import { documentPages } from './documents/routes.ts'
import { eventPages } from './events.ts'
import { loginPages } from './account/login.ts'
import type { Page } from './routing/page.ts'
import { projectPages } from './projects/projects.ts'
import { savedSearchPages } from './search/saved.ts'
import { searchPages } from './search/search.ts'
import { applicationPages } from './settings/applications.ts'
import { auditPages } from './settings/audit.ts'
import { connectionPages } from './settings/connections.ts'
import { instancePages } from './settings/instance.ts'
import { keyPages } from './settings/keys.ts'
import { profilePages } from './settings/profile.ts'
import { oncePages } from './settings/once.ts'
import { userPages } from './settings/users.ts'
import { setupPages } from './account/setup.ts'
import { uploadPages } from './upload/upload.ts'

/** Returns the table of all pages. A path with a fixed word comes before one with `:id` in its place. */
export function pages(dependencies: AppParts): Page[] {
  return [
    ...assetPages(dependencies),
    ...searchPages(dependencies),
    ...savedSearchPages(dependencies),
    ...documentListPages(dependencies),
    ...documentPages(dependencies),
    ...uploadPages(dependencies),
    ...eventPages(dependencies),
    ...projectPages(dependencies),
    ...loginPages(dependencies),
    ...setupPages(dependencies),
    ...authorizePages(dependencies),
    ...devicePages(dependencies),
    ...oncePages,
    ...profilePages(dependencies),
    ...keyPages(dependencies),
    ...connectionPages(dependencies),
    ...applicationPages(dependencies),
    ...auditPages(dependencies),
    ...userPages(dependencies),
    ...instancePages(dependencies),
  ]
}
