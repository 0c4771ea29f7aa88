import type { PageList } from './page-list.ts'

/** The value each condition compares with, by the condition's name. */
interface ConditionValues {
  /** The field is one of the values. An empty list matches no passage. */
  isOneOf: readonly string[]
  /** The field, a list, has at least one of the values. An empty list matches no passage. */
  hasAnyOf: readonly string[]
  /** The field has none of the values. */
  isNoneOf: readonly string[]
  /** The field, a list, has each of the values. */
  hasAllOf: readonly string[]
  /** The field, a list, has none of the values. */
  hasNoneOf: readonly string[]
  /** The field starts with one of the values, as for `startsWith`. An empty list matches no passage. */
  startsWithAny: readonly string[]
  /** The field starts with none of the values. */
  startsWithNone: readonly string[]
  /** The field starts with the value. Letter case counts, except in names, and no character is a wildcard. */
  startsWith: string
  isAtOrAfter: Date
  isBefore: Date
  /** The field contains each value, in any letter case. */
  containsAll: readonly string[]
  /** The field contains none of the values, in any letter case. */
  containsNone: readonly string[]
  /** The passage is on one of these pages. An empty list matches no passage. */
  isOnPageOf: PageList
  /** The passage is on none of these pages. */
  isOnNoPageOf: PageList
  /** One of the fields contains each phrase: whole words, in any letter case, with any white space between them. */
  hasAllPhrases: readonly string[]
  /** None of the fields contains any of the phrases. */
  hasNoPhrase: readonly string[]
}

type ConditionName = keyof ConditionValues

/**
 * Every filter of a search, with the fields of a passage that it looks at. The index translates each condition, not each
 * filter: a new filter needs a row here and a field in contract/search-filter.ts.
 */
const FILTERS = {
  documentIds: { fields: ['documentId'], condition: 'isOneOf' },
  mediaTypes: { fields: ['mediaType'], condition: 'isOneOf' },
  tags: { fields: ['tags'], condition: 'hasAnyOf' },
  pathPrefix: { fields: ['path'], condition: 'startsWith' },
  createdAfter: { fields: ['documentCreatedAt'], condition: 'isAtOrAfter' },
  createdBefore: { fields: ['documentCreatedAt'], condition: 'isBefore' },
  nameParts: { fields: ['name'], condition: 'containsAll' },
  withoutNameParts: { fields: ['name'], condition: 'containsNone' },
  // The operators of a query come on top of the filters of its request.
  operatorPaths: { fields: ['path'], condition: 'startsWithAny' },
  withoutPaths: { fields: ['path'], condition: 'startsWithNone' },
  operatorTags: { fields: ['tags'], condition: 'hasAllOf' },
  withoutTags: { fields: ['tags'], condition: 'hasNoneOf' },
  operatorTypes: { fields: ['mediaType'], condition: 'isOneOf' },
  withoutTypes: { fields: ['mediaType'], condition: 'isNoneOf' },
  // The pages with messages that match, which the records have found.
  messagePages: { fields: ['documentId'], condition: 'isOnPageOf' },
  withoutMessagePages: { fields: ['documentId'], condition: 'isOnNoPageOf' },
  // Titles and headings are indexed with the words of each passage, so phrases look there too.
  phrases: { fields: ['text', 'title', 'heading'], condition: 'hasAllPhrases' },
  withoutPhrases: { fields: ['text', 'title', 'heading'], condition: 'hasNoPhrase' },
} as const satisfies Record<string, { fields: readonly string[]; condition: ConditionName }>

type FilterName = keyof typeof FILTERS

/** A field of a passage that a filter looks at. */
export type FilterField = (typeof FILTERS)[FilterName]['fields'][number]

/** Which passages of the searched projects a search may find. Each filter narrows the search; one that is left out doesn't. */
export type SearchFilter = {
  readonly [F in FilterName]?: ConditionValues[(typeof FILTERS)[F]['condition']] | undefined
}

/** One filter as an index translates it. */
export type Condition = {
  [C in ConditionName]: { condition: C; fields: readonly FilterField[]; value: ConditionValues[C] }
}[ConditionName]

/** Returns the conditions that a filter sets, always in the same order. */
export function conditionsOf(filter: SearchFilter): Condition[] {
  return (Object.keys(FILTERS) as FilterName[]).flatMap((name) => {
    const value = filter[name]
    return value === undefined ? [] : [{ ...FILTERS[name], value } as Condition]
  })
}
