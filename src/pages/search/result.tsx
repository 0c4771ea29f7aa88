import type { SearchResult } from '../../contract/search.ts'
import { Marked } from '../marked.tsx'
import { shortTitle } from '../parts.tsx'
import { paths } from '../paths.ts'
import { excerptOf, linesOf } from './excerpt.ts'
import { withSearch, type SearchFields } from './fields.ts'

interface ResultProps {
  result: SearchResult
  /** The search that found the result. */
  fields: SearchFields
  /** False if there is only one project, whose name would say nothing. */
  withProject: boolean
}

/** One result: its place in the document, and the best part of its passage with the matching words marked. */
export function Result({ result, fields, withProject }: ResultProps) {
  const { document, chunk, text, highlights } = result
  const part = excerptOf(text, highlights)
  return (
    <li class="result">
      <h2>
        <a href={withSearch(result.url, fields)} aria-describedby={`where-${result.rank}`}>
          <bdi>{document.name}</bdi>
        </a>
      </h2>
      <p class="where" id={`where-${result.rank}`}>
        <span>{pagesOf(chunk)}</span>
        {facts(result, withProject).map((fact) => (
          <bdi>{fact}</bdi>
        ))}
      </p>
      {chunk.heading === '' ? null : (
        <p class="path" dir="auto">
          {chunk.heading}
        </p>
      )}
      <div class="excerpt">
        {chunk.context === '' ? null : (
          <p class="context" dir="auto">
            {chunk.context}
          </p>
        )}
        {linesOf(text, part).map((line, at, lines) => (
          <p dir="auto">
            {at === 0 && part[0] > 0 ? '… ' : null}
            <Marked text={text} marks={highlights} part={line} />
            {at === lines.length - 1 && part[1] < text.length ? ' …' : null}
          </p>
        ))}
      </div>
      <AlsoIn documents={result.also_in} />
    </li>
  )
}

export function pagesOf({ page_start: first, page_end: last }: SearchResult['chunk']): string {
  return first === last ? `page ${first}` : `pages ${first}–${last}`
}

function facts({ document, chunk, matching_chunks: matching = 1 }: SearchResult, withProject: boolean): string[] {
  const { title, name, project } = document
  // The heading of a passage usually begins with the title.
  const showsTitle = title !== null && title !== '' && title !== name && !chunk.heading.startsWith(title)
  return [
    ...(showsTitle ? [shortTitle(title)] : []),
    ...(withProject ? [project.name] : []),
    ...(matching > 1 ? [`${matching} passages`] : []),
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
          </a>{' '}
          (page {page})
        </>
      ))}
    </p>
  )
}
