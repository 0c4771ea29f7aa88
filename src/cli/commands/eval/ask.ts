import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { SearchAnswer, SearchRequest } from '../../../contract/search.ts'
import type { Context } from '../../context.ts'
import { EXIT, exitCodeOf } from '../../exit.ts'
import { retry } from '../../../client/retry.ts'
import { byDocument, byPage, isOf, type Answered, type Outcome } from './measures.ts'
import type { JudgedQuestion } from './questions.ts'

const MAX_UNEXPECTED = 3
/** For a busy instance that doesn't say how long to wait. */
const PAUSE_S = 5
const MAX_PAUSES = 20

type Asked = Pick<Outcome, 'questions' | 'failed' | 'fallbacks'>

/** Asks the questions one after another. A failure of one question is listed under `failed`; a failure that concerns all questions (no login, no instance) is thrown. */
export async function askAll(
  context: Context,
  client: Client,
  questions: readonly JudgedQuestion[],
  settings: Outcome['settings'],
  onProgress: (done: number) => void,
): Promise<Asked> {
  const asked: Asked = { questions: [], failed: [], fallbacks: [] }
  const reasons = new Map<string, number>()
  for (const [i, question] of questions.entries()) {
    onProgress(i)
    try {
      const answer = await askPatiently(context, client, requestOf(question, settings))
      asked.questions.push(judge(question, answer))
      const fallback = fallbackOf(answer, settings)
      if (fallback !== null) reasons.set(fallback, (reasons.get(fallback) ?? 0) + 1)
    } catch (error) {
      if (!(error instanceof ClientError) || concernsAll(error)) throw error
      asked.failed.push({ line: question.line, query: question.query, code: error.shownCode, message: error.message })
    }
  }
  onProgress(questions.length)
  asked.fallbacks = [...reasons].map(([reason, number]) => ({ reason, questions: number }))
  return asked
}

/** True for a failure that every question would have: not logged in, unreachable, busy. A missing project or an internal error may be of one question. */
function concernsAll(error: ClientError): boolean {
  const code = exitCodeOf(error)
  return (
    code === EXIT.cancelled ||
    code === EXIT.login ||
    code === EXIT.unreachable ||
    code === EXIT.busy ||
    error.code === 'invalid_answer'
  )
}

/** Waits for a busy instance, because a file may have more questions than a key may ask in a minute. */
function askPatiently({ io }: Context, client: Client, request: SearchRequest): Promise<SearchAnswer> {
  return retry(
    () => client.search(request),
    (error, attempt) => {
      const isBusy = error instanceof ClientError && exitCodeOf(error) === EXIT.busy && attempt <= MAX_PAUSES
      return isBusy ? (error.retryAfter ?? PAUSE_S) : null
    },
    (seconds) => io.wait(seconds * 1000, io.signal),
  )
}

function requestOf({ query, projects }: JudgedQuestion, settings: Outcome['settings']): SearchRequest {
  return {
    query,
    limit: settings.limit,
    ...(projects.length > 0 && { project: projects }),
    ...(settings.mode !== 'hybrid' && { mode: settings.mode }),
    ...(!settings.rerank && { rerank: false }),
    ...(settings.group && { group_by: 'document' as const }),
  }
}

function judge({ line, query, projects, expect }: JudgedQuestion, { results, took_ms }: SearchAnswer): Answered {
  const document = byDocument(results, expect)
  const page = byPage(results, expect)
  const before = (page ?? document).rank ?? Infinity
  const instead = results
    .filter((_, i) => i + 1 < before)
    .slice(0, MAX_UNEXPECTED)
    .map((result) => ({ rank: result.rank, document: nameOf(result), page: result.chunk.page_start }))
  return { line, query, projects, expect, document, page, instead, took_ms }

  function nameOf(result: SearchAnswer['results'][number]): string {
    const given = expect.find((one) => isOf(result, one.document))
    return given?.document ?? result.document.name
  }
}

/** Why the search ran with less than the settings asked for; null when it didn't. */
function fallbackOf(answer: SearchAnswer, settings: Outcome['settings']): string | null {
  if (answer.mode_reason !== null) return answer.mode_reason
  if (answer.mode !== settings.mode) return `Searched in ${answer.mode} mode.`
  if (settings.rerank && answer.rerank.reason !== null && answer.results.length > 0) return answer.rerank.reason
  return null
}
