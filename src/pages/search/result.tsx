import type { SearchPassage, SearchResult } from '../../contract/search.ts'
import { excerptOf, linesOf, ONE_LINE_ON_PAGE, type Span } from '../../core/excerpt.ts'
import { formatIdOf } from '../../core/formats.ts'
import { linkMarkup } from '../../core/markdown-links.ts'
import { foreignLanguage, Marked } from '../marked.tsx'
import { shortTitle } from '../parts.tsx'
import { paths } from '../paths.ts'
import { changed, withSearch, type SearchFields } from './fields.ts'
import { shortFolder, shortHeading } from './short-paths.ts'

interface ResultProps {
  result: SearchResult
  /** The search that found the result. */
  fields: SearchFields
  /** False if there is only one project, whose name needs no mention. */
  withProject: boolean
}

/** One result: its place in the document, the best part of its passage with the matching words marked, and further hits in the document. */
export function Result({ result, fields, withProject }: ResultProps) {
  const { document, chunk, text, highlights, more_passages: more = [], matching_chunks: matching = 1 } = result
  const folder = shortFolder(document.path)
  return (
    <li class="result">
      <div class="result-head">
        <h2>
          <a data-item href={withSearch(result.url, fields)} aria-describedby={`where-${result.rank}`}>
            {folder === '' ? null : <bdi class="folder">{folder}</bdi>}
            <bdi>{document.name}</bdi>
          </a>
        </h2>
        <p class="where" id={`where-${result.rank}`}>
          {facts(result, withProject).map((fact) => (
            <bdi>{fact}</bdi>
          ))}
          {matching > 1 ? <a href={changed(fields, { document: document.id, group: '' })}>{matching} passages</a> : null}
        </p>
      </div>
      {chunk.heading === '' && chunk.context === '' ? null : (
        <p class="path" dir="auto">
          {shortHeading(chunk.heading)}
          {chunk.heading === '' || chunk.context === '' ? null : ' │ '}
          <bdi>{chunk.context}</bdi>
        </p>
      )}
      <Excerpt text={text} marks={highlights} part={excerptOf(text, highlights)} isMarkdown={isMarkdown(document)} />
      {more.length === 0 ? null : (
        <ul class="hits">
          {more.map((passage) => (
            <Hit passage={passage} document={document} fields={fields} />
          ))}
        </ul>
      )}
      <AlsoIn documents={result.also_in} />
    </li>
  )
}

/** A further hit of the document, on one line. */
function Hit({
  passage,
  document,
  fields,
}: {
  passage: SearchPassage
  document: SearchResult['document']
  fields: SearchFields
}) {
  const { text, highlights, location, url } = passage
  const part = excerptOf(text, highlights, ONE_LINE_ON_PAGE)
  return (
    <li>
      <a href={withSearch(url, fields)}>{location ?? 'Open'}</a>
      <Excerpt text={text} marks={highlights} part={part} isMarkdown={isMarkdown(document)} />
    </li>
  )
}

/** An excerpt has no line breaks between the rows of a table, so a sign shows where each row ends. */
const CELL_SEPARATOR = ' | '

interface ExcerptProps {
  text: string
  marks: readonly Span[]
  part: Span
  isMarkdown: boolean
}

/** A part of a passage, as one paragraph. */
function Excerpt({ text, marks, part, isMarkdown }: ExcerptProps) {
  const hidden = isMarkdown ? linkMarkup(text) : []
  const lines = linesOf(text, part)
  const isRow = (line: Span | undefined) => line !== undefined && text.slice(...line).includes(CELL_SEPARATOR)
  return (
    <p class="excerpt" dir="auto" lang={foreignLanguage(text.slice(...part))}>
      {part[0] > 0 ? '… ' : null}
      {lines.map((line, at) => (
        <>
          {at === 0 ? null : ' '}
          {isRow(line) && isRow(lines[at - 1]) ? (
            <span class="row-end" aria-hidden="true">
              {'‖ '}
            </span>
          ) : null}
          <Marked text={text} marks={marks} part={line} hidden={hidden} />
        </>
      ))}
      {part[1] < text.length ? ' …' : null}
    </p>
  )
}

function isMarkdown({ media_type }: SearchResult['document']): boolean {
  return formatIdOf(media_type) === 'markdown'
}

function facts(result: SearchResult, withProject: boolean): string[] {
  const { document, chunk, location, highlights } = result
  const { title, name, project } = document
  // The heading of a passage usually begins with the title.
  const showsTitle = title !== null && title !== '' && title !== name && !chunk.heading.startsWith(title)
  return [
    ...(location == null ? [] : [location]),
    ...(showsTitle ? [shortTitle(title)] : []),
    ...(withProject ? [project.name] : []),
    ...(highlights.length === 0 ? ['no word of your query; similar in meaning'] : []),
  ]
}

/** Lists other documents that contain the same passage. */
function AlsoIn({ documents }: { documents: SearchResult['also_in'] }) {
  if (documents.length === 0) return null
  return (
    <p class="also">
      Also in{' '}
      {documents.map(({ id, name, page_start: page }, at) => (
        <>
          {at === 0 ? null : ', '}
          <a href={`${paths.document(id)}?page=${page}#page-${page}`}>
            <bdi>{name}</bdi>
          </a>
          {/* A text file has one page, which needs no number. */}
          {page === 1 ? null : ` (page ${page})`}
        </>
      ))}
    </p>
  )
}
