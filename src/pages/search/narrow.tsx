import { changed, type SearchFields } from './fields.ts'
import { activeFilters, facetGroups } from './filters.ts'
import type { ProjectChoice } from '../project-options.tsx'
import { FilterFields, type SearchErrors } from './form.tsx'
import type { Facets } from '../../contract/search.ts'

interface NarrowProps {
  fields: SearchFields
  errors: SearchErrors
  projects: readonly ProjectChoice[]
  facets: Facets
  /** The name of the only document that is searched. */
  documentName: string | null
}

/** What narrows the results: the filters in use, as links that remove them, and the values to choose from. */
export function Narrow({ fields, errors, projects, facets, documentName }: NarrowProps) {
  const active = activeFilters(fields, projects, documentName)
  return (
    <aside class="narrow" aria-label="Filters">
      {active.length === 0 ? null : (
        <ul class="chips" aria-label="Filters in use">
          {active.map(({ name, value, without }) => (
            <li>
              <a class="chip" href={changed(fields, without)} title="Remove this filter">
                <span class="unseen">Remove the filter </span>
                <span>{name}</span> <bdi>{value}</bdi>
              </a>
            </li>
          ))}
        </ul>
      )}
      <details class="facets" {...(Object.keys(errors).length > 0 ? { open: true } : {})}>
        <summary>Filters</summary>
        <div class="facet-groups">
          {facetGroups(facets, fields, projects).map(({ name, choices }) => (
            <section>
              <h2>{name}</h2>
              <ul>
                {choices.map(({ label, count, isChosen, change }) => (
                  <li>
                    <a href={changed(fields, change)} {...(isChosen ? { 'aria-current': 'true' } : {})}>
                      <bdi>{label}</bdi> <span>{count}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
          <FilterFields fields={fields} errors={errors} />
        </div>
      </details>
    </aside>
  )
}
