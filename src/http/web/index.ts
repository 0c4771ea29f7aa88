import { assetPages } from './assets.ts'
import { authorizePages } from './authorize.ts'
import { devicePages } from './device.ts'
import { loginPages } from './login.ts'
import type { Page } from './page.ts'
import { clientPages } from './settings/clients.ts'
import { documentPages } from './documents/document.ts'
import { originalPages } from './documents/original.ts'
import { searchPages } from './search.ts'
import { connectionPages } from './settings/connections.ts'
import { keyPages } from './settings/keys.ts'
import { profilePages } from './settings/profile.ts'
import { userPages } from './settings/users.ts'
import { setupPages } from './setup.ts'

/** Every page there is. A path with a word where another has `:id` comes first. */
export function pages(): Page[] {
  return [
    ...assetPages,
    ...searchPages(),
    ...documentPages,
    ...originalPages,
    ...loginPages,
    ...setupPages,
    ...authorizePages,
    ...devicePages(),
    ...profilePages,
    ...keyPages,
    ...connectionPages,
    ...clientPages,
    ...userPages,
  ]
}
