import type { SearchAnswer } from '../../../contract/search.ts'
import { count } from '../../view/style.ts'

export function withoutLowScores(answer: SearchAnswer, min: number): SearchAnswer {
  return { ...answer, results: answer.results.filter(({ score }) => score >= min) }
}

/** What the user should know about an answer besides its results. `asked` is the mode that they wanted. */
export function notesOf(answer: SearchAnswer, asked: string): string[] {
  return [...correctionOf(answer), ...relaxedPhrasesOf(answer), ...limitationsOf(answer, asked)]
}

/** Printed on a pipe too: a script may want to search again without the correction. */
function correctionOf({ query, corrected_query: corrected }: SearchAnswer): string[] {
  // Earlier versions of the API lack the field.
  return corrected ? [`Showing results for ${corrected}. To search for ${query}, add --no-correct.`] : []
}

function relaxedPhrasesOf({ relaxed_phrases: phrases }: SearchAnswer): string[] {
  // Earlier versions of the API lack the field.
  if (!phrases?.length) return []
  const quoted = phrases.map((phrase) => `"${phrase}"`).join(' and ')
  return [`No passage contains ${quoted}. Showing results for the words. To search only for the exact text, add --no-correct.`]
}

/** Names the reasons why results may be missing, so that an index that is still filling doesn't look empty. */
function limitationsOf(answer: SearchAnswer, asked: string): string[] {
  const notes: string[] = []
  if (answer.pending_documents > 0)
    notes.push(`${count(answer.pending_documents, 'document is', 'documents are')} not searchable yet.`)
  // Instances of earlier versions don't send the next two fields.
  if (answer.correction_reason) notes.push(answer.correction_reason)
  if (answer.truncated)
    notes.push(
      `The answer has only ${count(answer.results.length, 'result')}, because more would exceed the size limit of the instance. For the next results, use --offset.`,
    )
  if (answer.mode_reason !== null) notes.push(answer.mode_reason)
  else if (answer.mode !== asked) notes.push(`Searched in ${answer.mode} mode only.`)
  return notes
}
