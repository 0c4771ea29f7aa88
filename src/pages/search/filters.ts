import type { Facets } from '../../contract/search.ts'
import { FORMATS, formatIdOf, isFormatId } from '../../core/formats.ts'
import type { SearchFields } from './fields.ts'
import type { ProjectChoice } from '../project-fields.tsx'

/** A filter in use, which a link can remove. */
export interface ActiveFilter {
  name: string
  value: string
  /** The change of the fields that removes the filter. */
  without: SearchFields
}

/** A value that results can be narrowed to. */
interface FacetChoice {
  label: string
  count: number
  isChosen: boolean
  /** The change of the fields that chooses the value, or stops choosing it. */
  change: SearchFields
}

export interface FacetGroup {
  name: string
  choices: FacetChoice[]
}

/** More values would push the other facets off the screen. The form has fields for them. */
const MAX_CHOICES = 7

/** Returns the filters of a search. `documentName` is the name of the only document that is searched. */
export function activeFilters(
  fields: SearchFields,
  projects: readonly ProjectChoice[],
  documentName: string | null,
): ActiveFilter[] {
  const { project, type, path, after, before, document } = fields
  const year = yearOf(fields)
  return [
    ...(project ? [{ name: 'Project', value: nameOf(project, projects), without: { project: '' } }] : []),
    ...(document ? [{ name: 'Document', value: documentName ?? document, without: { document: '' } }] : []),
    ...(path ? [{ name: 'Folder', value: path, without: { path: '' } }] : []),
    ...(type ? [{ name: 'Type', value: typeLabel(type), without: { type: '' } }] : []),
    ...tagsOf(fields).map((tag) => ({ name: 'Tag', value: tag, without: withoutTag(fields, tag) })),
    ...(year === null ? [] : [{ name: 'Year', value: year, without: { after: '', before: '' } }]),
    ...(year === null && after ? [{ name: 'From', value: after, without: { after: '' } }] : []),
    ...(year === null && before ? [{ name: 'Before', value: before, without: { before: '' } }] : []),
  ]
}

/** Returns the facets that divide the results. A single value that all documents have would not narrow anything. */
export function facetGroups(facets: Facets, fields: SearchFields, projects: readonly ProjectChoice[]): FacetGroup[] {
  const chosenProject = fields.project ? nameOf(fields.project, projects) : null
  const chosenTags = tagsOf(fields)
  const groups: FacetGroup[] = [
    {
      name: 'Project',
      choices: (facets.project ?? []).map(({ value, count }) => {
        const isChosen = chosenProject === nameOf(value, projects)
        return { label: nameOf(value, projects), count, isChosen, change: { project: isChosen ? '' : value } }
      }),
    },
    {
      name: 'Folder',
      choices: (facets.folder ?? []).map(({ value, count }) => {
        const isChosen = fields.path === value
        return { label: value, count, isChosen, change: { path: isChosen ? '' : value } }
      }),
    },
    {
      name: 'Type',
      choices: (facets.media_type ?? []).map(({ value, count }) => {
        const id = formatIdOf(value) ?? value
        const isChosen = fields.type === id || fields.type === value
        return { label: typeLabel(id), count, isChosen, change: { type: isChosen ? '' : id } }
      }),
    },
    {
      name: 'Tag',
      // The field separates tags by commas. A tag from a file can contain one.
      choices: (facets.tag ?? [])
        .filter(({ value }) => !value.includes(',') && value.trim() === value)
        .map(({ value, count }) => {
          const isChosen = chosenTags.includes(value)
          return { label: value, count, isChosen, change: isChosen ? withoutTag(fields, value) : { tags: value } }
        }),
    },
    {
      name: 'Year',
      choices: (facets.year ?? []).map(({ value, count }) => {
        const isChosen = yearOf(fields) === value
        const change = isChosen ? { after: '', before: '' } : { after: `${value}-01-01`, before: `${Number(value) + 1}-01-01` }
        return { label: value, count, isChosen, change }
      }),
    },
  ]
  return groups
    .map(({ name, choices }) => ({ name, choices: choices.slice(0, MAX_CHOICES) }))
    .filter(({ choices }) => choices.length > 1 || choices.some(({ isChosen }) => isChosen))
}

/** Returns how many documents were found. Every document has exactly one year. */
export function countDocuments(facets: Facets | undefined): number | null {
  return facets?.year?.reduce((sum, { count }) => sum + count, 0) ?? null
}

/** Returns the tags of the field, which separates them by commas. */
export function tagsOf({ tags = '' }: SearchFields): string[] {
  return tags.split(',').flatMap((tag) => tag.trim() || [])
}

function withoutTag(fields: SearchFields, tag: string): SearchFields {
  return {
    tags: tagsOf(fields)
      .filter((other) => other !== tag)
      .join(', '),
  }
}

/** Returns the year from whose first to whose last day documents are searched; null if the days are others. */
function yearOf({ after = '', before = '' }: SearchFields): string | null {
  const year = /^(\d{4})-01-01$/.exec(after)?.[1]
  return year !== undefined && before === `${Number(year) + 1}-01-01` ? year : null
}

function typeLabel(type: string): string {
  return isFormatId(type) ? FORMATS[type].label : type
}

function nameOf(project: string, projects: readonly ProjectChoice[]): string {
  return projects.find(({ id }) => id === project)?.name ?? project
}
