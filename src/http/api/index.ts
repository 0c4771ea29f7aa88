import type { Route } from '../route.ts'
import { clientRoutes } from './clients/routes.ts'
import { connectionRoutes } from './connections/routes.ts'
import { docsRoutes } from './docs/routes.ts'
import { documentRoutes } from './documents/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import { meRoutes } from './me/routes.ts'
import { projectRoutes } from './projects/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { uploadRoutes } from './upload/routes.ts'
import { oauthRoutes } from '../oauth/routes.ts'
import { userRoutes } from './users/routes.ts'

/** Every endpoint there is. Router, OpenAPI document, docs page and the isolation test all read this one table. */
export const routes: readonly Route[] = [
  ...searchRoutes,
  ...uploadRoutes,
  ...documentRoutes,
  ...projectRoutes,
  ...eventRoutes,
  ...keyRoutes,
  ...meRoutes,
  ...connectionRoutes,
  ...clientRoutes,
  ...userRoutes,
  ...healthRoutes,
  ...oauthRoutes,
  ...docsRoutes(() => routes),
]
