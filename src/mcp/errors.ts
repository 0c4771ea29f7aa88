import { type ErrorCode, isDocsearchError } from '../core/errors.ts'

/** What a model should do next. The error's own message says what happened. */
const ADVICE: { readonly [C in ErrorCode]?: string } = {
  document_not_found: 'Use an id from a result of the tool search, exactly as it is there.',
  page_not_found: 'Call fetch without pages to read from the beginning.',
  project_not_found: 'Call list_projects for the projects that you may search, or leave project out to search all of them.',
  ambiguous_name: 'Call the tool again with one of these IDs as project.',
  text_not_ready: 'Tell the user that the document cannot be read yet, or try again in a minute.',
  invalid_query: 'Change the query and search again.',
  unavailable: 'Wait a few seconds and try once more. If it fails again, tell the user.',
}

/** Returns the sentence for a model about a failed call. `shown` is the part of the error that a caller may see. */
export function adviceFor(error: unknown, shown: string): string {
  const advice = isDocsearchError(error) ? ADVICE[error.code] : undefined
  return advice === undefined ? shown : `${shown} ${advice}`
}
