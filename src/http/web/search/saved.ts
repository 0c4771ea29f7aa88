import { z } from 'zod'
import { isDocsearchError, type ErrorCode } from '../../../core/errors.ts'
import type { SavedSearchRecord } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import { renderSavedSearch, type SavedSearchRow } from '../../../pages/search/saved.tsx'
import type { Dependencies } from '../../dependencies.ts'
import { name, optionalName } from '../forms/fields.ts'
import type { View, ViewCall } from '../routing/page.ts'
import type { FlashCode } from '../session/flash.ts'
import { defaultName, fieldsOfParameters, savedParameters } from '../../api/search/fields.ts'

const saveForm = z.object({ search: z.string().max(12_000), name: optionalName })
const renameForm = z.object({ name })

const REFUSALS: Partial<Record<ErrorCode, FlashCode>> = {
  saved_search_exists: 'search_exists',
  too_many_saved_searches: 'searches_full',
}

type Parts = Pick<Dependencies, 'savedSearches' | 'settings'>

export const savedSearchPages = ({ savedSearches, settings }: Parts): View[] => [
  {
    method: 'POST',
    path: paths.savedSearches,
    async handle({ ctx, actor, submitted, goTo }) {
      const { data } = submitted(saveForm)
      const fields = fieldsOfParameters(data?.search ?? ctx.state.form?.fields['search']?.[0] ?? '')
      const { parameters } = savedParameters(fields, settings.limits.queryChars)
      if (parameters === null) return goTo(paths.home, 'search_invalid')
      const back = `${paths.home}?${parameters}`
      if (data === undefined) return goTo(back, 'search_bad_name')
      try {
        await savedSearches.create(actor, { name: data.name || defaultName(fields.q ?? ''), parameters })
      } catch (error) {
        const refusal = isDocsearchError(error) ? REFUSALS[error.code] : undefined
        if (refusal === undefined) throw error
        return goTo(back, refusal)
      }
      goTo(back, 'search_saved')
    },
  },
  {
    method: 'GET',
    path: paths.savedSearch(':id'),
    async handle(call) {
      show(call, await savedSearches.get(call.actor, call.id), {})
    },
  },
  {
    method: 'POST',
    path: paths.savedSearch(':id'),
    async handle(call) {
      const { actor, id, submitted, goTo } = call
      const { data, state } = submitted(renameForm)
      if (data === undefined) return show(call, await savedSearches.get(actor, id), state, 422)
      await savedSearches.rename(actor, id, data.name)
      goTo(paths.home, 'search_renamed')
    },
  },
  {
    method: 'POST',
    path: paths.savedSearchDelete(':id'),
    async handle({ actor, id, goTo }) {
      await savedSearches.delete(actor, id)
      goTo(paths.home, 'search_deleted')
    },
  },
]

function show(
  call: ViewCall,
  { id, name: current, parameters }: SavedSearchRecord,
  form: Parameters<typeof renderSavedSearch>[0]['form'],
  status = 200,
): void {
  const search = { id, name: current, fields: fieldsOfParameters(parameters) }
  call.show(renderSavedSearch({ ...call.signedIn(), search, form }), status)
}

/** Returns the user's searches for a list, with the names of their projects among those that the user sees. */
export function savedSearchRows(
  searches: readonly SavedSearchRecord[],
  projects: readonly { id: string; name: string }[],
): SavedSearchRow[] {
  return searches.map(({ id, name: own, parameters }) => {
    const fields = fieldsOfParameters(parameters)
    const { project = '' } = fields
    const found = projects.find((one) => one.id === project) ?? projects.find((one) => one.name === project)
    return { id, name: own, fields, project: project === '' ? null : (found ?? 'hidden') }
  })
}
