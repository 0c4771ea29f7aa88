/** Where an expansion comes from: the list that docsearch ships, a project's own synonyms, or another spelling of the word. */
export type ExpansionSource = 'built_in' | 'project' | 'spelling'

/** Some words of a question, with other words for the same thing. */
export interface Expansion {
  /** The words as typed. */
  typed: string
  /** The terms of each of these words. */
  own: readonly (readonly string[])[]
  /** How often the question contains these words. */
  times: number
  alternatives: readonly Alternative[]
}

export interface Alternative {
  /** As in the list: `cost of sales`. */
  text: string
  /** The terms of each word, without stop words. */
  words: readonly (readonly string[])[]
  /** How much a passage with these words gets of the score for the question's own words. */
  weight: number
  source: ExpansionSource
  scope: ProjectScope
}

/** The projects in whose passages an alternative counts: only these, or all except these. */
export interface ProjectScope {
  kind: 'only' | 'except'
  projectIds: ReadonlySet<string>
}

export function isInScope({ kind, projectIds }: ProjectScope, projectId: string): boolean {
  return projectIds.has(projectId) === (kind === 'only')
}
