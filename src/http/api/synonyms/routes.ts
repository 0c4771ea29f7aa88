import type { z } from 'zod'
import {
  synonymList,
  synonymListQuery,
  synonymsAdd,
  synonymsReplace,
  synonymsSaved,
  type SynonymList,
  type Synonym,
  type SynonymsSaved,
} from '../../../contract/synonyms.ts'
import { tidyRule, type SynonymRule, type SynonymRecord } from '../../../core/synonyms.ts'
import type { Dependencies } from '../../dependencies.ts'
import { routesWith, type Route } from '../../routing/route.ts'

const route = routesWith({ tag: 'Synonyms', idDescription: 'ID or name of the project' })
const path = '/api/v1/projects/{id}/synonyms'
const LIMITS =
  'All rules are saved, or none. The synonyms of all your projects have at most 10,000 words and phrases together (`limits.synonyms`).'
const problems = ['project_not_found', 'too_many_synonyms', 'synonym_without_effect']

export const synonymRoutes = ({ synonyms }: Pick<Dependencies, 'synonyms'>): Route[] => [
  route({
    operationId: 'listSynonyms',
    method: 'GET',
    path,
    summary: 'List the synonyms of a project',
    description: 'Oldest first. The synonyms that docsearch ships are not among them.',
    access: 'read:documents',
    query: synonymListQuery,
    answers: { 200: { description: 'Some of the synonyms, and the cursor to the next ones', schema: synonymList } },
    problems: ['project_not_found', 'invalid_cursor'],
    async handle({ ctx, actor, id, query }) {
      const { items, nextCursor } = await synonyms.list(actor, id, query)
      ctx.body = { synonyms: items.map(presentSynonym), next_cursor: nextCursor } satisfies SynonymList
    },
  }),
  route({
    operationId: 'addSynonyms',
    method: 'POST',
    path,
    summary: 'Add synonyms to a project',
    description: `A search that begins after the answer uses them for the passages of this project. ${LIMITS} A rule that the project has already stays as it is.`,
    access: 'write:documents',
    body: synonymsAdd,
    answers: { 200: { description: 'The synonyms', schema: synonymsSaved } },
    problems,
    async handle({ ctx, actor, id, body }) {
      ctx.body = presentSaved(await synonyms.add(actor, id, rulesOf(body)))
    },
  }),
  route({
    operationId: 'replaceSynonyms',
    method: 'PUT',
    path,
    summary: 'Replace the synonyms of a project',
    description: `Removes all rules that are not in the request. ${LIMITS} Rules that stay keep their IDs.`,
    access: 'write:documents',
    body: synonymsReplace,
    answers: { 200: { description: 'The synonyms', schema: synonymsSaved } },
    problems,
    async handle({ ctx, actor, id, body }) {
      const { synonyms: saved, removed } = await synonyms.replace(actor, id, rulesOf(body))
      ctx.body = presentSaved(saved, removed)
    },
  }),
  route({
    operationId: 'deleteSynonym',
    method: 'DELETE',
    path: `${path}/{synonym}`,
    summary: 'Remove synonyms from a project',
    access: 'write:documents',
    pathDescriptions: { synonym: 'ID of the synonyms' },
    answers: { 204: { description: 'Searches no longer use the rule' } },
    problems: ['project_not_found', 'synonym_not_found'],
    async handle({ ctx, actor, id, params }) {
      await synonyms.delete(actor, id, params['synonym'] ?? '')
      ctx.status = 204
    },
  }),
]

function rulesOf({ synonyms }: z.output<typeof synonymsReplace>): SynonymRule[] {
  return synonyms.map(({ words, expands_to: expandsTo }) => tidyRule({ words, expandsTo }))
}

function presentSynonym({ id, words, expandsTo, createdAt }: SynonymRecord): Synonym {
  return { id, words: [...words], expands_to: expandsTo && [...expandsTo], created_at: createdAt.toISOString() }
}

function presentSaved(saved: readonly { record: SynonymRecord; isNew: boolean }[], removed = 0): SynonymsSaved {
  return {
    synonyms: saved.map(({ record, isNew }) => ({ ...presentSynonym(record), outcome: isNew ? 'created' : 'unchanged' })),
    removed,
  }
}
