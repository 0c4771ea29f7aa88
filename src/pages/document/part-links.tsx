import { capitalized } from '../../core/capitalized.ts'
import { pageWord } from '../../core/location.ts'
import { paths } from '../paths.ts'
import { SEARCH_FIELDS, type SearchFields } from '../search/fields.ts'
import type { TextWindow } from './window.ts'

interface PartLinksProps {
  id: string
  mediaType: string
  window: TextWindow
  lastPage: number
  fields: SearchFields
  /** Words that the reader looks for in the document; empty if there are none. */
  find: string
  /** Adds a form that goes to any page. */
  form?: boolean
}

/** Links to the previous and the next part of a long document. Shows nothing if the whole document is visible. */
export function PartLinks({ id, mediaType, window: { sheets, before, after }, lastPage, fields, find, form }: PartLinksProps) {
  if (before === null && after === null) return null
  const [first, last] = [sheets[0]?.page.number ?? 1, sheets.at(-1)?.page.number ?? 1]
  return (
    <nav class="part-links" aria-label={form === undefined ? 'Parts of the text, bottom' : 'Parts of the text'}>
      {before === null ? null : (
        <a class="button" rel="prev" href={documentAddress(id, before, fields, find)}>
          Previous part
        </a>
      )}
      {form === true && lastPage > 1 ? (
        <form method="get" action={paths.document(id)} class="go">
          {SEARCH_FIELDS.map((name) => (fields[name] ? <input type="hidden" name={name} value={fields[name]} /> : null))}
          {find === '' ? null : <input type="hidden" name="find" value={find} />}
          <label for="page">{capitalized(pageWord(mediaType))}</label>
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
        <a class="button" rel="next" href={documentAddress(id, after, fields, find)}>
          Next part
        </a>
      )}
    </nav>
  )
}

/** The address of the part that begins at an offset, with the search that led to the document and the words that the reader looks for. */
function documentAddress(id: string, at: number, fields: SearchFields, find: string): string {
  const query = new URLSearchParams({ at: String(at) })
  if (find !== '') query.set('find', find)
  for (const name of SEARCH_FIELDS) if (fields[name]) query.set(name, fields[name])
  return `${paths.document(id)}?${query}#text`
}
