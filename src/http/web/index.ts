import { eventQuery } from '../../contract/documents.ts'
import { validate } from '../../contract/validate.ts'
import { ASSETS, FAVICON, openSearchDescription } from '../../pages/assets.ts'
import { paths } from '../../pages/paths.ts'
import { fixedAnswer, type FixedAnswer, sendFixed } from '../answers/fixed.ts'
import { type EventParts, sendEvents } from '../api/events/routes.ts'
import type { AppParts, Dependencies } from '../dependencies.ts'
import { fail } from '../problems/problems.ts'
import { clientGone } from '../routing/context.ts'
import { authorizePages } from './account/authorize.ts'
import { devicePages } from './account/device.ts'
import { loginPages } from './account/login.ts'
import { setupPages } from './account/setup.ts'
import { documentListPages } from './documents/list.ts'
import { documentPages } from './documents/routes.ts'
import { projectPages } from './projects.ts'
import type { View } from './routing/page.ts'
import { savedSearchPages, searchPages } from './search.ts'
import { applicationPages, connectionPages } from './settings/applications.ts'
import { auditPages } from './settings/audit.ts'
import { instancePages } from './settings/instance.ts'
import { keyPages } from './settings/keys.ts'
import { profilePages } from './settings/profile.ts'
import { userPages } from './settings/users.ts'
import { uploadPages } from './upload.ts'

/** Returns the table of all pages. A path with a fixed word comes before one with `:id` in its place. */
export function pages(dependencies: AppParts): View[] {
  return [
    ...assetPages(dependencies),
    ...searchPages(dependencies),
    ...savedSearchPages(dependencies),
    ...documentListPages(dependencies),
    ...documentPages(dependencies),
    ...uploadPages(dependencies),
    ...eventPages(dependencies),
    ...projectPages(dependencies),
    ...loginPages(dependencies),
    ...setupPages(dependencies),
    ...authorizePages(dependencies),
    ...devicePages(dependencies),
    ...oncePages,
    ...profilePages(dependencies),
    ...keyPages(dependencies),
    ...connectionPages(dependencies),
    ...applicationPages(dependencies),
    ...auditPages(dependencies),
    ...userPages(dependencies),
    ...instancePages(dependencies),
  ]
}

/** The events of the API for the script of the views, which has a session instead of a key. Both count towards the same limit. */
const eventPages = (parts: EventParts & Pick<Dependencies, 'settings'>): View[] => [
  {
    method: 'GET',
    path: paths.events,
    cost: 'streaming',
    handle({ ctx, actor }) {
      const query = validate(eventQuery, { ...ctx.query })
      sendEvents(parts, ctx, actor, query, AbortSignal.any([clientGone(ctx), parts.settings.stopping]))
    },
  },
]

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
const assetPages = ({ settings }: Pick<Dependencies, 'settings'>): View[] => [
  {
    method: 'GET',
    path: '/assets/:id',
    access: 'public',
    cost: 'anonymous',
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
    cost: 'anonymous',
    handle: ({ ctx }) => sendFixed(ctx, ICON, DAY_CACHE),
  },
  {
    method: 'GET',
    path: paths.openSearch,
    access: 'public',
    cost: 'anonymous',
    handle({ ctx }) {
      const description = openSearchDescription(settings.baseUrl())
      return sendFixed(ctx, fixedAnswer('application/opensearchdescription+xml; charset=utf-8', description), DAY_CACHE)
    },
  },
]

/** Shows a new secret once to the user who created it. The same address then leads to the list of such secrets. */
const oncePages: View[] = [
  {
    method: 'GET',
    path: paths.shownOnce(':id'),
    hasScript: true,
    async handle({ ctx, takeOnce, show, goTo }) {
      const view = await takeOnce()
      if (view === null || view.html === null) return goTo(view?.next ?? paths.settings, 'shown_already')
      ctx.state.hasSecret = true
      show(view.html)
    },
  },
]
