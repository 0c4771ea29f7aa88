import { Confirm, ErrorSummary, Field, Form, FormButtons, hasErrors, type FormState } from '../form.tsx'
import { AppPage, html, type SignedInProps } from '../layout.tsx'
import { shortName } from '../parts.tsx'
import { paths } from '../paths.ts'
import { searchAddress, searchParameters, type SearchFields } from './fields.ts'

/** A saved search in a list. */
export interface SavedSearchRow {
  id: string
  name: string
  fields: SearchFields
  /** The project that it searches: null for all, `hidden` if the user can no longer see it. */
  project: { name: string } | 'hidden' | null
}

/** Keeps the search in the user's account. */
export function SaveSearch({ fields, csrf }: { fields: SearchFields; csrf: string }) {
  return (
    <details class="save-search">
      <summary>Save this search</summary>
      <Form action={paths.savedSearches} csrf={csrf} hidden={{ search: searchParameters(fields) }} class="inline">
        <Field name="name" label="Name" form={{}} hint="Default: the question" autocomplete="off" maxLength={200} optional />
        <button type="submit">Save</button>
      </Form>
    </details>
  )
}

/** The saved searches of the user, each with a link that runs it and one that changes it. */
export function SavedSearchList({ searches }: { searches: readonly SavedSearchRow[] }) {
  return (
    <section class="saved" aria-labelledby="saved">
      <h2 id="saved">Saved searches</h2>
      <ul class="recent">
        {searches.map(({ id, name, fields, project }) => (
          <li>
            <a href={searchAddress(fields)}>
              <bdi>{shortName(name)}</bdi>
            </a>{' '}
            <small>
              {project === null ? null : project === 'hidden' ? (
                'in a project that you can no longer see, '
              ) : (
                <>
                  in <bdi>{shortName(project.name)}</bdi>,{' '}
                </>
              )}
              <a href={paths.savedSearch(id)} aria-label={`Change ${shortName(name)}`}>
                Change
              </a>
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}

export interface SavedSearchProps extends SignedInProps {
  search: Pick<SavedSearchRow, 'id' | 'name' | 'fields'>
  form: FormState<'name'>
}

/** `/saved-searches/{id}`: renames or deletes a saved search. */
export function renderSavedSearch({ search: { id, name, fields }, form, ...page }: SavedSearchProps): string {
  return html(
    <AppPage title="Saved search" place="search" failed={hasErrors(form)} {...page}>
      <main id="main" class="problem">
        <p class="back">
          <a href={paths.home}>Search</a>
        </p>
        <h1>Saved search</h1>
        <p class="lead">
          <a href={searchAddress(fields)}>
            <bdi>{shortName(fields.q ?? '')}</bdi>
          </a>
        </p>
        <ErrorSummary form={form} title="The search was not renamed" />
        <Form action={paths.savedSearch(id)} csrf={page.csrf} class="narrow">
          <Field name="name" label="Name" form={form} initial={name} autocomplete="off" maxLength={200} />
          <FormButtons verb="Rename" cancel={paths.home} />
        </Form>
        <h2>Delete</h2>
        <p>The documents stay as they are.</p>
        <Confirm action={paths.savedSearchDelete(id)} csrf={page.csrf} verb="Delete search" cancel={paths.home} />
      </main>
    </AppPage>,
  )
}
