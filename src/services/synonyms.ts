import { DocsearchError } from '../core/errors.ts'
import { eachInTurns } from '../core/turns.ts'
import type { SynonymRecord, SynonymRule } from '../core/synonyms.ts'
import type { ListRequest, Records, ResultPage, SavedSynonym } from '../records/records.ts'
import { hasEffect } from '../search/expansions/synonym-matcher.ts'
import type { Access, Actor } from './access.ts'

/**
 * The synonyms of the actor's projects. A project is named by id or by name. Every function throws `insufficient_scope`,
 * `project_not_found` and `ambiguous_name`. Changes need a manager and throw `insufficient_role`.
 */
export interface Synonyms {
  list(actor: Actor, project: string, request: ListRequest): Promise<ResultPage<SynonymRecord>>
  /** Adds all rules or none. Returns each rule once. Throws `too_many_synonyms` and `synonym_without_effect`. */
  add(actor: Actor, project: string, rules: readonly SynonymRule[]): Promise<SavedSynonym[]>
  /** Makes these the project's only rules. Otherwise like `add`. */
  replace(actor: Actor, project: string, rules: readonly SynonymRule[]): Promise<{ synonyms: SavedSynonym[]; removed: number }>
  /** Throws `synonym_not_found`. */
  delete(actor: Actor, project: string, id: string): Promise<void>
}

interface Options {
  records: Pick<Records, 'synonyms'>
  access: Pick<Access, 'toRead' | 'toWrite'>
  /** How many words and phrases the synonyms of all projects of a user may have. */
  maxSynonyms: number
}

export function createSynonyms({ records, access, maxSynonyms }: Options): Synonyms {
  const { synonyms } = records

  /** Returns what the records need for a change. */
  async function changeOf(actor: Actor, project: string, rules: readonly SynonymRule[]) {
    const { id: projectId } = (await access.toWrite(actor)).requireRole(project, 'manager')
    await requireEffect(rules)
    return { projectId, rules, maxSynonyms }
  }

  return {
    async list(actor, project, request) {
      return synonyms.list((await access.toRead(actor)).require(project).id, request)
    },

    async add(actor, project, rules) {
      return (await synonyms.add(await changeOf(actor, project, rules))) ?? projectIsGone()
    },

    async replace(actor, project, rules) {
      return (await synonyms.replace(await changeOf(actor, project, rules))) ?? projectIsGone()
    },

    async delete(actor, project, id) {
      const { id: projectId } = (await access.toWrite(actor)).requireRole(project, 'manager')
      if (await synonyms.delete(projectId, id)) return
      throw new DocsearchError('synonym_not_found', 'The project has no synonyms with this ID.')
    },
  }
}

/** Throws when searches could not use one of the rules, because nobody would notice that it does nothing. */
async function requireEffect(rules: readonly SynonymRule[]): Promise<void> {
  const faults: { path: string; message: string }[] = []
  await eachInTurns(rules.entries(), ([i, rule]) => {
    if (!hasEffect(rule)) faults.push({ path: `synonyms.${i}`, message: 'would find nothing more' })
  })
  if (faults.length === 0) return
  throw new DocsearchError(
    'synonym_without_effect',
    'Nothing was changed, because a rule would have no effect: its words are only different spellings of the same word, function ' +
      'words such as "it", or single letters. Leave such rules out.',
    { details: { errors: faults.slice(0, MAX_FAULTS) } },
  )
}

/** An answer lists at most this many rules. */
const MAX_FAULTS = 100

function projectIsGone(): never {
  throw new DocsearchError('project_not_found', 'The project was deleted in the meantime.')
}
