import { DEFAULT_LIMITS } from '../../src/config/config.ts'
import { apiTable } from '../../src/http/api/index.ts'
import type { AppParts } from '../../src/http/dependencies.ts'
import type { Cost } from '../../src/http/routing/route.ts'
import type { View } from '../../src/http/web/routing/page.ts'
import { pages as pagesOf } from '../../src/http/web/index.ts'

/** The tables of the API and of the pages, for reading only: there is no service behind them. */
const nothing = { settings: { limits: DEFAULT_LIMITS, rateLimit: 0, userRateLimit: 0 } } as unknown as AppParts

export const { operations, routes } = apiTable(nothing)
export const pages: readonly View[] = pagesOf(nothing)

/** Every route and view with its cost, by its method and its path with parameters in braces, such as `GET /documents/{id}`. */
export const ENDPOINTS: Readonly<Record<string, Cost>> = Object.fromEntries(
  [...routes, ...pages].map(({ method, path, cost = 'limited' }) => [`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`, cost]),
)
