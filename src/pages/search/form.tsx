import { FORMATS } from '../../core/formats.ts'
import { paths } from '../paths.ts'
import type { SearchField, SearchFields } from './fields.ts'

export interface ProjectChoice {
  id: string
  name: string
}

/** One sentence for each field with an error. */
export type SearchErrors = Partial<Record<SearchField, string>>

interface SearchFormProps {
  fields: SearchFields
  errors: SearchErrors
  projects: readonly ProjectChoice[]
  autofocus: boolean
}

/** The query and its filters. A GET form, because each search needs an address. */
export function SearchForm({ fields, errors, projects, autofocus }: SearchFormProps) {
  return (
    <form method="get" action={paths.home} role="search" class="search">
      <div class="ask">
        <label class="unseen" for="q">
          Search for
        </label>
        <input
          type="search"
          id="q"
          name="q"
          value={fields.q ?? ''}
          placeholder="Ask in your own words"
          required
          dir="auto"
          autocomplete="off"
          enterkeyhint="search"
          {...(autofocus ? { autofocus: true } : {})}
          {...errorAttributes('q', errors)}
        />
        <button class="primary" type="submit">
          Search
        </button>
      </div>
      <div class="narrow-by">
        <ProjectSelect fields={fields} errors={errors} projects={projects} />
        <label class="tick" for="group">
          <input type="checkbox" id="group" name="group" value="document" checked={fields.group === 'document'} />
          One result per document
        </label>
        <details {...(fields.type || fields.tags || errors.type || errors.tags ? { open: true } : {})}>
          <summary>More filters</summary>
          <div class="more">
            <label for="type">Type</label>
            <select id="type" name="type" {...errorAttributes('type', errors)}>
              <option value="">Any</option>
              {Object.entries(FORMATS).map(([value, { label }]) => (
                <option value={value} selected={fields.type === value}>
                  {label}
                </option>
              ))}
            </select>
            <label for="tags">
              Tags <small>separated by commas; one must match</small>
            </label>
            <input
              type="text"
              id="tags"
              name="tags"
              value={fields.tags ?? ''}
              autocomplete="off"
              autocapitalize="none"
              {...errorAttributes('tags', errors)}
            />
          </div>
        </details>
      </div>
    </form>
  )
}

/** Links a field to its sentence, which `SearchErrorList` shows below the form. */
function errorAttributes(name: SearchField, errors: SearchErrors) {
  return errors[name] === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${name}-error` }
}

/** Shows why a search can't be answered. */
export function SearchErrorList({ errors }: { errors: SearchErrors }) {
  return (
    <div class="notice error" role="alert">
      {Object.entries(errors).map(([name, message]) => (
        <p id={`${name}-error`}>{message}</p>
      ))}
    </div>
  )
}

/** Offers the user's projects. A project that is in the address but doesn't exist stays visible. */
function ProjectSelect({ fields: { project = '' }, errors, projects }: Omit<SearchFormProps, 'autofocus'>) {
  const chosen = projects.find(({ id }) => id === project) ?? projects.find(({ name }) => name === project)
  return (
    <div class="in-project">
      <label for="project">In</label>
      <select id="project" name="project" {...errorAttributes('project', errors)}>
        <option value="">All projects</option>
        {projects.map(({ id, name }) => (
          <option value={id} selected={id === chosen?.id}>
            {name}
          </option>
        ))}
        {project === '' || chosen !== undefined ? null : (
          <option value={project} selected>
            {project}
          </option>
        )}
      </select>
    </div>
  )
}
