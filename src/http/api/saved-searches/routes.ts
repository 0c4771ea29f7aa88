import {
  savedSearch,
  savedSearchCreate,
  savedSearchList,
  savedSearchUpdate,
  type SavedSearch,
  type SavedSearchList,
} from '../../../contract/search.ts'
import { invalid } from '../../../contract/validate.ts'
import type { SavedSearchRecord } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import { MAX_SAVED_SEARCHES } from '../../../services/saved-searches.ts'
import type { Dependencies } from '../../dependencies.ts'
import { answerCreated, routesWith, type Route } from '../../routing/route.ts'
import { searchFieldsOf, defaultName, fieldsOfParameters, savedParameters } from '../../search-fields.ts'

const route = routesWith({ tag: 'Search', idDescription: 'ID of the saved search' })
const path = '/api/v1/saved-searches'
const OWN =
  'Saved searches belong to your account: nobody else sees them, and a credential that is limited to projects cannot use them.'

type Parts = Pick<Dependencies, 'savedSearches' | 'settings'>

export const savedSearchRoutes = (parts: Parts): Route[] => {
  const present = (saved: SavedSearchRecord) => presentSavedSearch(saved, parts.settings.baseUrl())
  return [...collectionRoutes(parts, present), ...itemRoutes(parts, present)]
}

function presentSavedSearch({ id, name, parameters, createdAt }: SavedSearchRecord, baseUrl: string): SavedSearch {
  const { q = '', ...others } = fieldsOfParameters(parameters)
  const url = `${baseUrl}${paths.home}?${parameters}`
  return { id, name, search: { q, ...others }, url, created_at: createdAt.toISOString() }
}

type Present = (saved: SavedSearchRecord) => SavedSearch

function collectionRoutes({ savedSearches, settings }: Parts, present: Present): Route[] {
  return [
    route({
      operationId: 'listSavedSearches',
      method: 'GET',
      path,
      summary: 'List your saved searches',
      description: `Newest first, all of them. ${OWN}`,
      access: 'read:documents',
      answers: { 200: { description: 'The saved searches', schema: savedSearchList } },
      problems: ['limited_to_projects'],
      async handle({ ctx, actor }) {
        ctx.body = { saved_searches: (await savedSearches.list(actor)).map(present) } satisfies SavedSearchList
      },
    }),
    route({
      operationId: 'saveSearch',
      method: 'POST',
      path,
      summary: 'Save a search',
      description: `Adds the search to the start view of your account. You can save ${MAX_SAVED_SEARCHES} searches, each once. ${OWN}`,
      access: 'write:documents',
      body: savedSearchCreate,
      answers: { 201: { description: 'The saved search', schema: savedSearch } },
      problems: ['limited_to_projects', 'saved_search_exists', 'too_many_saved_searches'],
      async handle({ ctx, actor, body }) {
        const { parameters, errors } = savedParameters(searchFieldsOf(body.search), settings.limits.queryChars)
        if (errors !== null)
          throw invalid(Object.entries(errors).map(([field, message]) => ({ path: `search.${field}`, message })))
        const saved = await savedSearches.create(actor, { name: body.name ?? defaultName(body.search.q), parameters })
        answerCreated(ctx, `${path}/${saved.id}`, present(saved))
      },
    }),
  ]
}

function itemRoutes({ savedSearches }: Parts, present: Present): Route[] {
  return [
    route({
      operationId: 'getSavedSearch',
      method: 'GET',
      path: `${path}/{id}`,
      summary: 'Show a saved search',
      access: 'read:documents',
      answers: { 200: { description: 'The saved search', schema: savedSearch } },
      problems: ['limited_to_projects', 'saved_search_not_found'],
      async handle({ ctx, actor, id }) {
        ctx.body = present(await savedSearches.get(actor, id))
      },
    }),
    route({
      operationId: 'renameSavedSearch',
      method: 'PATCH',
      path: `${path}/{id}`,
      summary: 'Rename a saved search',
      access: 'write:documents',
      body: savedSearchUpdate,
      answers: { 200: { description: 'The saved search', schema: savedSearch } },
      problems: ['limited_to_projects', 'saved_search_not_found'],
      async handle({ ctx, actor, id, body }) {
        ctx.body = present(await savedSearches.rename(actor, id, body.name))
      },
    }),
    route({
      operationId: 'deleteSavedSearch',
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Delete a saved search',
      access: 'write:documents',
      answers: { 204: { description: 'The search is no longer saved' } },
      problems: ['limited_to_projects', 'saved_search_not_found'],
      async handle({ ctx, actor, id }) {
        await savedSearches.delete(actor, id)
        ctx.status = 204
      },
    }),
  ]
}
