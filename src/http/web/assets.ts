import { ASSETS } from '../../pages/assets.ts'
import { fixedAnswer, sendFixed, type FixedAnswer } from '../answers/fixed.ts'
import { fail } from '../problems/problems.ts'
import type { Page } from './routing/page.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60

const ANSWERS = Object.fromEntries(
  Object.entries(ASSETS).map(([name, { type, body }]) => [name, fixedAnswer(type, body)]),
) as Record<keyof typeof ASSETS, FixedAnswer>

/** The files that pages use. An address with the hash of the content may be cached forever. */
export const assetPages: Page[] = [
  {
    method: 'GET',
    path: '/assets/:id',
    access: 'public',
    handle({ ctx, id }) {
      if (!Object.hasOwn(ASSETS, id)) throw fail('not_found', 'There is no such file.')
      const isExact = ctx.query['v'] === ASSETS[id as keyof typeof ASSETS].hash
      const cacheControl = isExact ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache'
      sendFixed(ctx, ANSWERS[id as keyof typeof ASSETS], cacheControl)
    },
  },
]
