import { eventQuery } from '../../contract/documents.ts'
import { validate } from '../../contract/validate.ts'
import { paths } from '../../pages/paths.ts'
import { sendEvents, type EventParts } from '../api/events/routes.ts'
import type { Dependencies } from '../dependencies.ts'
import { clientGone } from '../routing/context.ts'
import type { Page } from './routing/page.ts'

/** The events of the API for the script of the views, which has a session instead of a key. Both count towards the same limit. */
export const eventPages = (parts: EventParts & Pick<Dependencies, 'settings'>): Page[] => [
  {
    method: 'GET',
    path: paths.events,
    access: 'user',
    handle({ ctx, actor }) {
      const query = validate(eventQuery, { ...ctx.query })
      sendEvents(parts, ctx, actor, query, AbortSignal.any([clientGone(ctx), parts.settings.stopping]))
    },
  },
]
