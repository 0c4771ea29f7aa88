import { ASSETS } from '../../pages/assets.ts'
import { FAVICON } from '../../pages/favicon.ts'
import { openSearchDescription } from '../../pages/open-search.ts'
import { paths } from '../../pages/paths.ts'
import { fixedAnswer, sendFixed, type FixedAnswer } from '../answers/fixed.ts'
import type { Dependencies } from '../dependencies.ts'
import { fail } from '../problems/problems.ts'
import type { Page } from './routing/page.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** For files whose addresses never change. */
const DAY_CACHE = 'public, max-age=86400'

const ANSWERS = Object.fromEntries(
  Object.entries(ASSETS).map(([name, { type, body }]) => [name, fixedAnswer(type, body)]),
) as Record<keyof typeof ASSETS, FixedAnswer>

const ICON = fixedAnswer('image/x-icon', FAVICON)

/**
 * The files that pages use, and those that browsers ask for on their own. An address with the hash of the content may be cached
 * forever.
 */
export const assetPages = ({ settings }: Pick<Dependencies, 'settings'>): Page[] => [
  {
    method: 'GET',
    path: '/assets/:id',
    access: 'public',
    async handle({ ctx, id }) {
      if (!Object.hasOwn(ASSETS, id)) throw fail('not_found', 'There is no such file.')
      const isExact = ctx.query['v'] === ASSETS[id as keyof typeof ASSETS].hash
      const cacheControl = isExact ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache'
      await sendFixed(ctx, ANSWERS[id as keyof typeof ASSETS], cacheControl)
    },
  },
  {
    method: 'GET',
    path: paths.favicon,
    access: 'public',
    handle: ({ ctx }) => sendFixed(ctx, ICON, DAY_CACHE),
  },
  {
    method: 'GET',
    path: paths.openSearch,
    access: 'public',
    handle({ ctx }) {
      const description = openSearchDescription(settings.baseUrl())
      return sendFixed(ctx, fixedAnswer('application/opensearchdescription+xml; charset=utf-8', description), DAY_CACHE)
    },
  },
]
