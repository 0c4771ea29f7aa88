import { isDocsearchError } from '../core/errors.ts'
import { analyseQuery } from '../text/analyse.ts'
import { highlight } from '../text/highlight.ts'
import { parseQuery } from './parse.ts'

/** Where the words of a question stand in a text that it is not searched in, as a search would mark them: spans in UTF-16 code units. */
export function marksOf(query: string, text: string): [number, number][] {
  try {
    return highlight(text, analyseQuery(parseQuery(query).text))
  } catch (error) {
    // A question of operators alone has no words.
    if (isDocsearchError(error, 'invalid_query')) return []
    throw error
  }
}
