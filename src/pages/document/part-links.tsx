import { paths } from '../paths.ts'
import { SEARCH_FIELDS, type SearchFields } from '../search/fields.ts'
import type { TextWindow } from './window.ts'

interface PartLinksProps {
  id: string
  window: TextWindow
  lastPage: number
  fields: SearchFields
  /** Adds a form that goes to any page. */
  form?: boolean
}

/** Links to the previous and the next part of a long document. Shows nothing if the whole document is visible. */
export function PartLinks({ id, window: { sheets, before, after }, lastPage, fields, form }: PartLinksProps) {
  if (before === null && after === null) return null
  const [first, last] = [sheets[0]?.page.number ?? 1, sheets.at(-1)?.page.number ?? 1]
  return (
    <nav class="part-links" aria-label={form === true ? 'Parts of the text' : 'Parts of the text, bottom'}>
      {before === null ? null : (
        <a class="button" rel="prev" href={documentAddress(id, { at: before }, fields)}>
          Previous
        </a>
      )}
      {form === true && lastPage > 1 ? (
        <form method="get" action={paths.document(id)} class="go">
          {SEARCH_FIELDS.map((name) => (fields[name] ? <input type="hidden" name={name} value={fields[name]} /> : null))}
          <label for="page">Page</label>
          <input
            type="text"
            inputmode="numeric"
            pattern="[0-9]*"
            id="page"
            name="page"
            value={String(first)}
            autocomplete="off"
          />
          <span>
            {last > first ? `to ${last} ` : ''}of {lastPage}
          </span>
          <button type="submit">Go</button>
        </form>
      ) : null}
      {after === null ? null : (
        <a class="button" rel="next" href={documentAddress(id, { at: after }, fields)}>
          Next
        </a>
      )}
    </nav>
  )
}

/** The address of the part that begins at an offset, with the search that led to the document. */
function documentAddress(id: string, { at }: { at: number }, fields: SearchFields): string {
  const query = new URLSearchParams({ at: String(at) })
  for (const name of SEARCH_FIELDS) if (fields[name]) query.set(name, fields[name])
  return `${paths.document(id)}?${query}#text`
}
