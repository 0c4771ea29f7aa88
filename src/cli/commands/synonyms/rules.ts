import type { Client } from '../../../client/client.ts'
import type { Synonym } from '../../../contract/synonyms.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { formatSynonymRule, readSynonymLine, synonymKey, type SynonymRule } from '../../../core/synonyms.ts'
import type { Context } from '../../context.ts'
import { text } from '../../options.ts'
import { collectPages } from '../pages.ts'

export const projectOption = text('-p, --project <name>', 'Project (ID or name; default "default")')

/** Uploads without --project go to the same project. */
export async function projectOf(context: Context, named: string | undefined): Promise<string> {
  return named ?? (await context.target()).project ?? 'default'
}

export function ruleOf({ words, expands_to: expandsTo }: Pick<Synonym, 'words' | 'expands_to'>): SynonymRule {
  return { words, expandsTo }
}

/** Returns the rule as `import` reads it. */
export function lineOf(synonym: Pick<Synonym, 'words' | 'expands_to'>): string {
  return formatSynonymRule(ruleOf(synonym))
}

export function allSynonyms(client: Client, project: string): Promise<Synonym[]> {
  return collectPages(undefined, async (page) => {
    const answer = await client.synonyms.list(project, page)
    return { items: answer.synonyms, next: answer.next_cursor }
  })
}

/** Finds a rule by its ID, by its line, or by a word or phrase that no other rule has. */
export async function findSynonym(client: Client, project: string, given: string): Promise<Synonym> {
  const all = await allSynonyms(client, project)
  const byId = all.find(({ id }) => id === given)
  if (byId !== undefined) return byId
  const rule = readSynonymLine(given)
  const key = rule === null || 'fault' in rule ? null : synonymKey(rule)
  const byLine = all.find((synonym) => synonymKey(ruleOf(synonym)) === key)
  if (byLine !== undefined) return byLine
  const wanted = given.trim().toLowerCase()
  const having = all.filter(({ words, expands_to: others }) =>
    [...words, ...(others ?? [])].some((word) => word.toLowerCase() === wanted),
  )
  const [only, ...more] = having
  if (only === undefined)
    throw new DocsearchError('synonym_not_found', `Project ${project} has no synonyms ${JSON.stringify(given)}.`)
  if (more.length === 0) return only
  const shown = having.slice(0, MAX_SHOWN).map((one) => `${one.id} (${lineOf(one)})`)
  const rest = having.length > MAX_SHOWN ? [`and ${having.length - MAX_SHOWN} more`] : []
  throw new DocsearchError(
    'ambiguous_name',
    `${having.length} rules of project ${project} have ${JSON.stringify(given)}. Name one by its ID: ${[...shown, ...rest].join('; ')}.`,
  )
}

const MAX_SHOWN = 10
