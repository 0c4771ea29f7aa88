import type { Operation } from '../../contract/operation.ts'
import type { AppParts } from '../dependencies.ts'
import { mcpRoutes } from '../mcp/routes.ts'
import { authorizeOperation, oauthRoutes } from '../oauth/routes.ts'
import type { Route } from '../routing/route.ts'
import { applicationRoutes, connectionRoutes } from './applications/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { backupRoutes, healthRoutes, statusRoutes, metricsRoutes, doctorRoutes } from './instance/routes.ts'
import { docsRoutes } from './docs/routes.ts'
import { documentRoutes } from './documents/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { keyRoutes, meRoutes } from './account/routes.ts'
import { memberRoutes, projectRoutes, unmanagedProjectRoutes } from './projects/routes.ts'
import { modelRoutes } from './models/routes.ts'
import { savedSearchRoutes } from './saved-searches/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { synonymRoutes } from './synonyms/routes.ts'
import { uploadRoutes } from './upload/routes.ts'
import { userRoutes } from './users/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/**
 * Returns the API as one table. `operations` is all that a program has to know, and the OpenAPI document is made from it. `routes` are the
 * operations that the API answers itself; a page answers the others.
 */
export function apiTable(dependencies: AppParts): { operations: readonly Operation[]; routes: readonly Route[] } {
  const operations: (Route | Operation)[] = [
    ...searchRoutes(dependencies),
    ...savedSearchRoutes(dependencies),
    ...uploadRoutes(dependencies),
    ...documentRoutes(dependencies),
    ...projectRoutes(dependencies),
    ...memberRoutes(dependencies),
    ...unmanagedProjectRoutes(dependencies),
    ...synonymRoutes(dependencies),
    ...webhookRoutes(dependencies),
    ...eventRoutes(dependencies),
    ...auditRoutes(dependencies),
    ...keyRoutes(dependencies),
    ...meRoutes(dependencies),
    ...connectionRoutes(dependencies),
    ...applicationRoutes(dependencies),
    ...userRoutes(dependencies),
    ...doctorRoutes(dependencies),
    ...modelRoutes(dependencies),
    ...backupRoutes(dependencies),
    ...healthRoutes(dependencies),
    ...statusRoutes(dependencies),
    ...metricsRoutes(dependencies),
    ...mcpRoutes(dependencies),
    authorizeOperation,
    ...oauthRoutes(dependencies),
    ...docsRoutes(dependencies, () => operations),
  ]
  return { operations, routes: operations.filter((row) => 'handle' in row) }
}
