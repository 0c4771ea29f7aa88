import type { Dependencies } from '../dependencies.ts'
import { assetPages } from './assets.ts'
import { authorizePages } from './account/authorize.ts'
import { devicePages } from './account/device.ts'
import { documentPages } from './documents/routes.ts'
import { loginPages } from './account/login.ts'
import type { Page } from './routing/page.ts'
import { searchPages } from './search/search.ts'
import { applicationPages } from './settings/applications.ts'
import { connectionPages } from './settings/connections.ts'
import { keyPages } from './settings/keys.ts'
import { profilePages } from './settings/profile.ts'
import { userPages } from './settings/users.ts'
import { setupPages } from './account/setup.ts'

/** Returns the table of all pages. A path with a fixed word comes before one with `:id` in its place. */
export function pages(dependencies: Dependencies): Page[] {
  return [
    ...assetPages,
    ...searchPages(dependencies),
    ...documentPages(dependencies),
    ...loginPages(dependencies),
    ...setupPages(dependencies),
    ...authorizePages(dependencies),
    ...devicePages(dependencies),
    ...profilePages(dependencies),
    ...keyPages(dependencies),
    ...connectionPages(dependencies),
    ...applicationPages(dependencies),
    ...userPages(dependencies),
  ]
}
