/** The properties that facets can count. Callers can send each value back as a filter: `folder` as `path_prefix`, `year` as two times. */
export type FacetName = 'project' | 'folder' | 'media_type' | 'tag' | 'year'

export interface FacetValue {
  value: string
  /** Number of documents. */
  count: number
}

/** The requested facets, each with its most frequent values first. */
export type Facets = { [N in FacetName]?: FacetValue[] }

/** The properties of a found document that facets count. */
export interface FacetDocument {
  readonly projectId: string
  readonly path: string
  readonly mediaType: string
  readonly tags: readonly string[]
  readonly createdAt: Date
}

const MAX_VALUES = 100
/** Bounds the work for paths that consist of nothing but slashes. */
const MAX_FOLDER_LEVELS = 10

/**
 * Counts documents by the values of each facet. For `project`, returns the ids of all projects. `nameProjects` replaces them by names and
 * limits their number.
 */
export function countFacets(names: readonly FacetName[], documents: readonly FacetDocument[]): Facets {
  const facets: Facets = {}
  for (const name of names) {
    const counts = COUNT[name](documents)
    facets[name] = name === 'project' ? toValues(counts) : mostFrequent(toValues(counts))
  }
  return facets
}

/** Replaces the ids of projects by their names. Leaves out projects without a name. */
export function nameProjects(facets: Facets, nameOf: (id: string) => string | null): Facets {
  const { project } = facets
  if (project === undefined) return facets
  const named = project.flatMap(({ value, count }) => {
    const name = nameOf(value)
    return name === null ? [] : [{ value: name, count }]
  })
  return { ...facets, project: mostFrequent(named) }
}

type Counts = ReadonlyMap<string, number>

const COUNT: Readonly<Record<FacetName, (documents: readonly FacetDocument[]) => Counts>> = {
  project: (documents) => countEach(documents, ({ projectId }) => projectId),
  folder: countFolders,
  media_type: (documents) => countEach(documents, ({ mediaType }) => mediaType),
  tag: countTags,
  year: (documents) => countEach(documents, ({ createdAt }) => String(createdAt.getUTCFullYear())),
}

function countEach(documents: readonly FacetDocument[], valueOf: (document: FacetDocument) => string): Counts {
  const counts = new Map<string, number>()
  for (const document of documents) add(counts, valueOf(document))
  return counts
}

function countTags(documents: readonly FacetDocument[]): Counts {
  const counts = new Map<string, number>()
  for (const { tags } of documents) for (const tag of new Set(tags)) add(counts, tag)
  return counts
}

/** Counts a document in each folder of its path. A folder ends with a slash, so that the prefix `notes/` doesn't match `notes-old/`. */
function countFolders(documents: readonly FacetDocument[]): Counts {
  // Many documents share a folder, so this divides each folder into its levels only once.
  const innermost = countEach(documents, ({ path }) => path.slice(0, path.lastIndexOf('/') + 1))
  const counts = new Map<string, number>()
  for (const [folder, count] of innermost) {
    let end = folder.indexOf('/')
    for (let level = 0; level < MAX_FOLDER_LEVELS && end !== -1; level++) {
      add(counts, folder.slice(0, end + 1), count)
      end = folder.indexOf('/', end + 1)
    }
  }
  return counts
}

function add(counts: Map<string, number>, value: string, count = 1): void {
  counts.set(value, (counts.get(value) ?? 0) + count)
}

function toValues(counts: Counts): FacetValue[] {
  return Array.from(counts, ([value, count]) => ({ value, count }))
}

/** Returns the most frequent values. Orders equally frequent values by their characters. */
function mostFrequent(values: readonly FacetValue[]): FacetValue[] {
  return values.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, MAX_VALUES)
}
