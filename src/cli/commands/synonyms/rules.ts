import type { Client } from '../../../client/client.ts'
import type { Synonym } from '../../../contract/synonyms.ts'
import { formatSynonymRule, readSynonymLine, synonymKey, type SynonymRule } from '../../../core/synonyms.ts'
import { collectPages, endsWith, onlyMatch } from '../find.ts'

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
  const byId = all.find(({ id }) => id === given) ?? all.find(({ id }) => endsWith(id, given))
  if (byId !== undefined) return byId
  const rule = readSynonymLine(given)
  const key = rule === null || 'fault' in rule ? null : synonymKey(rule)
  const byLine = all.find((synonym) => synonymKey(ruleOf(synonym)) === key)
  if (byLine !== undefined) return byLine
  const wanted = given.trim().toLowerCase()
  const having = all.filter(({ words, expands_to: others }) =>
    [...words, ...(others ?? [])].some((word) => word.toLowerCase() === wanted),
  )
  return onlyMatch(having, {
    given,
    nouns: `rules of project ${project}`,
    missing: { code: 'synonym_not_found', message: `Project ${project} has no synonyms ${JSON.stringify(given)}.` },
    describe: (one) => `${one.id} (${lineOf(one)})`,
  })
}
