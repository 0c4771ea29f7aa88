import type { Document } from '../../contract/documents.ts'
import { capitalized } from '../../core/capitalized.ts'
import { countOf } from '../../core/count-of.ts'
import { formatOf } from '../../core/formats.ts'
import { pageTitle } from '../../core/location.ts'
import { shortName } from '../parts.tsx'
import { paths } from '../paths.ts'
import { SEARCH_FIELDS, searchAddress, type SearchFields } from '../search/fields.ts'

/** Where the reader is among the places that have what they look for. */
export interface HitLinks {
  count: number
  /** True if there are more than `count`. */
  isCut: boolean
  /** Counted from 1; null if the view shows none of them. */
  current: number | null
  /** Addresses of the hits before and after; null at the ends. */
  previous: string | null
  next: string | null
}

/** The passage to quote. */
export interface Citation {
  quote: string
  /** `lease.pdf, p. 2: "…" https://…` */
  text: string
  markdown: string
}

export interface ReadingBarProps {
  document: Document
  page: number
  lastPage: number
  fields: SearchFields
  /** Words that the reader looks for in the document; empty if there are none. */
  find: string
  /** Null if the reader looks for nothing. */
  hits: HitLinks | null
  citation: Citation | null
}

/** Stays at the top while the reader scrolls: the way back, where they are, the hits, and tools to find and to cite. */
export function ReadingBar({ document, page, lastPage, fields, find, hits, citation }: ReadingBarProps) {
  return (
    <div class="reading-bar" role="region" aria-label="Reading">
      {fields.q ? (
        <a class="to-results" href={searchAddress(fields)}>
          Results for <bdi>{shortName(fields.q)}</bdi>
        </a>
      ) : null}
      <bdi class="reading-name" aria-hidden="true">
        {shortName(document.name)}
      </bdi>
      {lastPage > 1 ? (
        <span class="reading-place">
          {pageTitle(document.media_type, page)} of {lastPage}
        </span>
      ) : null}
      {hits === null ? null : <HitNavigation hits={hits} find={find} />}
      {citation === null ? null : (
        <button type="button" class="quiet" hidden data-copy-text={citation.quote} data-shortcut="c">
          Copy quote
        </button>
      )}
      <details class="tools" {...(find !== '' && hits?.count === 0 ? { open: true } : {})}>
        <summary>{citation === null ? 'Find' : 'Find and cite'}</summary>
        <div class="panel">
          <FindForm id={document.id} fields={fields} find={find} />
          {citation === null ? null : <CitationTexts citation={citation} />}
          <p class="originals">
            {formatOf(document.media_type)?.originalView === 'download' ? null : (
              <a href={paths.original(document.id)}>Open original</a>
            )}
            <a href={`${paths.original(document.id)}?download=1`}>Download</a>
          </p>
        </div>
      </details>
    </div>
  )
}

function HitNavigation({ hits: { count, isCut, current, previous, next }, find }: { hits: HitLinks; find: string }) {
  const total = `${count}${isCut ? '+' : ''}`
  const summary =
    count === 0
      ? find === ''
        ? 'No hits'
        : 'Not found'
      : current === null
        ? `${total} ${count === 1 ? 'hit' : 'hits'}`
        : `Hit ${current} of ${total}`
  return (
    <nav class="hit-links" aria-label="Hits in this document">
      {previous === null ? null : (
        <a class="button" href={previous} aria-label="Previous hit" data-shortcut="p">
          ‹
        </a>
      )}
      <span>{summary}</span>
      {next === null ? null : (
        <a class="button" href={next} aria-label="Next hit" data-shortcut="n">
          ›
        </a>
      )}
    </nav>
  )
}

function FindForm({ id, fields, find }: { id: string; fields: SearchFields; find: string }) {
  return (
    <form
      method="get"
      action={`${paths.document(id)}#${paths.passageAnchor}`}
      class="find-words"
      role="search"
      aria-label="Find in this document"
    >
      {SEARCH_FIELDS.map((name) => (fields[name] ? <input type="hidden" name={name} value={fields[name]} /> : null))}
      <label for="find">Find in this document</label>
      <input type="search" id="find" name="find" value={find} maxlength={200} autocomplete="off" dir="auto" />
      <button type="submit">Find</button>
    </form>
  )
}

function CitationTexts({ citation: { text, markdown } }: { citation: Citation }) {
  return (
    <>
      <div class="cite">
        <label for="citation">Citation</label>
        <textarea id="citation" readonly rows={3} dir="auto">
          {text}
        </textarea>
        <button type="button" hidden data-copy-text={text}>
          Copy citation
        </button>
      </div>
      <div class="cite">
        <label for="citation-markdown">Citation in Markdown</label>
        <textarea id="citation-markdown" readonly rows={3} dir="auto">
          {markdown}
        </textarea>
        <button type="button" hidden data-copy-text={markdown}>
          Copy Markdown
        </button>
      </div>
    </>
  )
}

/** One page, or several neighbouring pages of a long document. */
export interface StripCell {
  first: number
  last: number
  /** The name of a single sheet or chapter. */
  name: string | null
  /** Pages without text. */
  empty: number
  /** Pages that a warning is about. */
  warned: number
  hits: number
  /** True if the view shows one of these pages. */
  isCurrent: boolean
  address: string
}

/**
 * Shows all pages in one line: which of them have no text or a warning, and where the hits are.
 * @param word What a page of the document is called.
 */
export function PageStrip({ cells, word }: { cells: readonly StripCell[]; word: string }) {
  if (cells.length < 2) return null
  return (
    <nav class="page-strip" aria-label={`${capitalized(word)}s at a glance`}>
      <ol>
        {cells.map((cell) => (
          <li>
            <a
              class={classOf(cell)}
              href={cell.address}
              title={describe(cell, word)}
              aria-label={describe(cell, word)}
              aria-current={cell.isCurrent ? 'page' : undefined}
            />
          </li>
        ))}
      </ol>
    </nav>
  )
}

function classOf({ empty, warned, hits }: StripCell): string {
  const health = warned > 0 ? 'warned' : empty > 0 ? 'no-text' : 'text'
  return hits > 0 ? `${health} has-hits` : health
}

function describe({ first, last, name, empty, warned, hits }: StripCell, word: string): string {
  const isOne = first === last
  const facts = [
    capitalized(isOne ? `${word} ${first}` : `${word}s ${first} to ${last}`) + (name === null ? '' : `: ${name}`),
    hits > 0 ? countOf(hits, 'hit') : '',
    empty === 0 ? '' : isOne ? 'no text' : `${countOf(empty, word)} without text`,
    warned === 0 ? '' : isOne ? 'a warning' : `${countOf(warned, word)} with warnings`,
  ]
  return facts.filter((fact) => fact !== '').join(', ')
}
