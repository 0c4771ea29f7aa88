import type { Operation } from '../../contract/operation.ts'
import { authorizeOperation } from '../oauth/authorize-operation.ts'
import type { Route } from '../route.ts'
import { clientRoutes } from './clients/routes.ts'
import { connectionRoutes } from './connections/routes.ts'
import { docsRoutes } from './docs/routes.ts'
import { documentRoutes } from './documents/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import { meRoutes } from './me/routes.ts'
import { modelRoutes } from './models/routes.ts'
import { projectRoutes } from './projects/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { uploadRoutes } from './upload/routes.ts'
import { oauthRoutes } from '../oauth/routes.ts'
import { userRoutes } from './users/routes.ts'

/** Everything that programs have to know. OpenAPI document and docs page come from this one table. */
export const operations: readonly (Route | Operation)[] = [
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
  ...modelRoutes,
  ...healthRoutes,
  authorizeOperation,
  ...oauthRoutes,
  ...docsRoutes(() => operations),
]

/** Those of them that are answered here; a page answers the others. Router and the isolation test read these. */
export const routes: readonly Route[] = operations.filter((row) => 'handle' in row)
