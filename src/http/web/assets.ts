import { ASSETS } from '../../pages/assets.ts'
import { fail } from '../problems/problems.ts'
import type { Page } from './routing/page.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** The files that pages use. An address with the hash of the content may be cached forever. */
export const assetPages: Page[] = [
  {
    method: 'GET',
    path: '/assets/:id',
    access: 'public',
    handle({ ctx, id }) {
      if (!Object.hasOwn(ASSETS, id)) throw fail('not_found', 'There is no such file.')
      const { type, body, hash } = ASSETS[id as keyof typeof ASSETS]
      const isExact = ctx.query['v'] === hash
      ctx.set('Cache-Control', isExact ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache')
      ctx.type = type
      ctx.body = body
    },
  },
]
