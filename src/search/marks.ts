import { isDocsearchError } from '../core/errors.ts'
import { analyseQuery } from '../text/analyse.ts'
import { highlight } from '../text/highlight.ts'
import { parseQuery } from './parse.ts'

/** Returns where a text contains a question's words, as a search would highlight them: spans in UTF-16 code units. */
export function marksOf(query: string, text: string): [number, number][] {
  try {
    return highlight([text], analyseQuery(parseQuery(query).text))[0]!
  } catch (error) {
    // A question with operators only has no words.
    if (isDocsearchError(error, 'invalid_query')) return []
    throw error
  }
}
