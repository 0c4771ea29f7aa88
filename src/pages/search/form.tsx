import { FORMATS, isFormatId } from '../../core/formats.ts'
import { paths } from '../paths.ts'
import { ProjectOptions, type ProjectChoice } from '../project-fields.tsx'
import type { SearchField, SearchFields } from './fields.ts'

/** One sentence for each field with an error. */
export type SearchErrors = Partial<Record<SearchField, string>>

interface SearchFormProps {
  fields: SearchFields
  errors: SearchErrors
  projects: readonly ProjectChoice[]
  autofocus: boolean
}

/** The fields of the filters are in other places of the view, and belong to the form by this ID. */
const FORM = 'search'
/** What a link chooses and the form has no input for. A new question starts at the first result and is corrected again. */
const KEPT = ['group', 'sort', 'document'] as const

/** The query and its project. A GET form, because each search needs an address. */
export function SearchForm({ fields, errors, projects, autofocus }: SearchFormProps) {
  return (
    <form method="get" action={paths.home} role="search" class="search" id={FORM}>
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
        <ProjectSelect fields={fields} errors={errors} projects={projects} />
        <button class="primary" type="submit">
          Search
        </button>
      </div>
      {KEPT.map((name) => (fields[name] ? <input type="hidden" name={name} value={fields[name]} /> : null))}
    </form>
  )
}

/** The filters that need typing, with a button that applies them. */
export function FilterFields({ fields, errors }: Pick<SearchFormProps, 'fields' | 'errors'>) {
  const { type = '' } = fields
  return (
    <details class="more-filters" {...(hasFilter(fields, errors) ? { open: true } : {})}>
      <summary>More filters</summary>
      <div class="more">
        <label for="type">Type</label>
        <select id="type" name="type" form={FORM} {...errorAttributes('type', errors)}>
          <option value="">Any</option>
          {Object.entries(FORMATS).map(([value, { label }]) => (
            <option value={value} selected={type === value}>
              {label}
            </option>
          ))}
          {type === '' || isFormatId(type) ? null : (
            <option value={type} selected>
              {type}
            </option>
          )}
        </select>
        <Field name="tags" label="Tags" hint="Separated by commas; one must match" {...{ fields, errors }} />
        <Field name="path" label="Folder" hint="The beginning of the path, such as contracts/2026/" {...{ fields, errors }} />
        <Field name="after" label="Added from" isDay {...{ fields, errors }} />
        <Field name="before" label="Added before" isDay {...{ fields, errors }} />
        <button type="submit" form={FORM}>
          Apply
        </button>
      </div>
    </details>
  )
}

interface FieldProps extends Pick<SearchFormProps, 'fields' | 'errors'> {
  name: 'tags' | 'path' | 'after' | 'before'
  label: string
  hint?: string
  /** A day, for which browsers have a calendar. Something else in the address stays visible as text. */
  isDay?: boolean
}

function Field({ name, label, hint, isDay = false, fields, errors }: FieldProps) {
  const attributes = { id: name, name, form: FORM, value: fields[name] ?? '', ...errorAttributes(name, errors) }
  return (
    <>
      <label for={name}>
        {label} {hint === undefined ? null : <small>{hint}</small>}
      </label>
      {isDay && /^(?:\d{4}-\d\d-\d\d)?$/.test(attributes.value) ? (
        <input type="date" {...attributes} />
      ) : (
        <input type="text" autocomplete="off" autocapitalize="none" {...attributes} />
      )}
    </>
  )
}

/** True if a filter below "More filters" is in use, or has an error. */
function hasFilter(fields: SearchFields, errors: SearchErrors): boolean {
  return (['type', 'tags', 'path', 'after', 'before'] as const).some((name) => fields[name] || errors[name])
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
  return (
    <div class="in-project">
      <label class="unseen" for="project">
        In
      </label>
      <select id="project" name="project" {...errorAttributes('project', errors)}>
        <ProjectOptions projects={projects} chosen={project} />
      </select>
    </div>
  )
}
