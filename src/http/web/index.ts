import { assetPages } from './assets.ts'
import { authorizePages } from './authorize.ts'
import { devicePages } from './device.ts'
import { loginPages } from './login.ts'
import type { Page } from './page.ts'
import { clientPages } from './settings/clients.ts'
import { connectionPages } from './settings/connections.ts'
import { keyPages } from './settings/keys.ts'
import { profilePages } from './settings/profile.ts'
import { userPages } from './settings/users.ts'
import { setupPages } from './setup.ts'

/** Every page there is. A path with a word where another has `:id` comes first. */
export function pages(): Page[] {
  return [
    ...assetPages,
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
